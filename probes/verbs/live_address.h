// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/reading.h"
#include "probes/verbs/types.h"

struct ibv_ah_attr;

namespace roceready::probes::verbs::live {

[[nodiscard]] ibv_ah_attr address_attributes(const Address& address, std::uint32_t port);

/// UDP source port of a datagram, where the driver's way to choose it is known (facts roce-udp-source-port,
/// rxe-udp-source-port).
[[nodiscard]] Reading<std::uint32_t> datagram_source_port(const std::string& driver, std::uint32_t queue_pair,
                                                          std::uint32_t flow_label);
/// Whether the driver takes a datagram's source port from its flow label.
[[nodiscard]] bool flow_label_sets_path(const std::string& driver);

}  // namespace roceready::probes::verbs::live

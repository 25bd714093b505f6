// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

// Words that the sentences of several rules share. Numbers are for people; machines read the evidence.

[[nodiscard]] std::string percent(double share);             ///< 0.123: "12.3 %"
[[nodiscard]] std::string short_share(double share);         ///< 3.2e-6: "1 in 312000", from 0.1 % on as percent
[[nodiscard]] std::string bit_rate(double bits_per_second);  ///< 1e11: "100 Gbit/s"
[[nodiscard]] std::string transfer_rate(double transfers_per_second);           ///< 16e9: "16 GT/s"
[[nodiscard]] std::string counted(double amount, const std::string& singular);  ///< "1 ACK timeout", "3 ACK timeouts"
/// "priority 3", "priorities 3 and 4", "no priority".
[[nodiscard]] std::string priorities_text(std::uint32_t mask);
/// "a", "a and b", "a, b and c".
[[nodiscard]] std::string joined(const std::vector<std::string>& words);
/// Name of the netdev judged: the member, else the port's own netdev, else the RDMA device.
[[nodiscard]] std::string netdev_name(const Evidence& seen);
/// "RDMA port mlx5_0/1".
[[nodiscard]] std::string port_name(const Evidence& seen);
/// Source of DCB facts: "DCB netlink eth0".
[[nodiscard]] std::string dcb_source(const Evidence& seen);

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/history/history.h"
#include "core/snapshot/snapshot.h"
#include "rules/profile.h"

namespace roceready::rules {

/// Speeds of the last 10 s of a port (sums over its members): what a person wants to see beside the verdict.
/// Keys carry the unit: rx_bits_per_second, rdma_tx_packets_per_second, rx_pause_share_priority_3…
[[nodiscard]] std::map<std::string, Reading<double>> rates_of(const History& history, const Snapshot& now,
                                                              const RdmaPort& port, const Profile* profile);

}  // namespace roceready::rules

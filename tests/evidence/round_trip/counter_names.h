// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/snapshot/snapshot.h"

namespace roceready::round_trip {

/// Counters as their driver prints them. Where a host holds canonical counters alone, the names are those of its
/// driver's table.
using NamedCounters = std::vector<std::pair<std::string, std::uint64_t>>;
[[nodiscard]] NamedCounters statistics_of(const Snapshot& snapshot, const Netdev& netdev);
[[nodiscard]] NamedCounters hw_counters_of(const RdmaPort& port);
[[nodiscard]] NamedCounters port_counters_of(const RdmaPort& port);

}  // namespace roceready::round_trip

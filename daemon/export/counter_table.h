// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/counters/counter.h"
#include "core/history/history.h"
#include "rules/report.h"

namespace roceready::daemon {

/// Labels of series; port is "" for counters of a whole device that has several ports.
struct CounterPlace {
  std::string device, port, netdev;
};

struct CounterSeries {
  CounterId id = CounterId::kCount;
  std::uint8_t lane = kNoLane;
  std::uint16_t place = 0;  ///< index into places
  double value = 0;         ///< base units, monotonic over wraps of narrow counters
};

/// How many series of a port are left out of /metrics because there is room for so many only.
struct DroppedSeries {
  std::string device, port;
  std::size_t count = 0;
};

/// Every canonical counter of the ports in scope that is exported, sorted by (id, place, lane), each once. Taken by the
/// sampling thread with each snapshot, because History has one caller at a time.
struct CounterTable {
  std::vector<CounterPlace> places;
  std::vector<CounterSeries> series;
  std::vector<DroppedSeries> dropped;  ///< ports that have more than kMostSeries; empty on most hosts
};

[[nodiscard]] CounterTable counter_table(const rules::Report& report, const History& history);

}  // namespace roceready::daemon

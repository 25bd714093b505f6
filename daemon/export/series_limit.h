// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "daemon/export/counter_table.h"
#include "rules/report.h"

namespace roceready::daemon {

/// Most series of a port in /metrics, before probes (product.md 5).
inline constexpr std::size_t kMostSeries = 300;

/// (device, port) as labels have them → number of series.
using SeriesCount = std::map<std::pair<std::string, std::string>, std::size_t>;

/// Leaves out counters of ports that would have more than kMostSeries together with `others`: first the traffic of
/// priorities that are neither lossless in the profile nor have PFC, then whatever else is counted for those, then the
/// last counters of the table. What was left out stands in `counters.dropped`.
void limit_series(CounterTable& counters, const rules::Report& report, const SeriesCount& others);

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/series_limit.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/text.h"
#include "daemon/export/port_view.h"
#include "rules/profile.h"

namespace roceready::daemon {
namespace {

bool is_traffic(CounterId id) {
  return id == CounterId::RxBytesPriority || id == CounterId::TxBytesPriority || id == CounterId::RxPacketsPriority ||
         id == CounterId::TxPacketsPriority;
}

/// Bit n: priority n is lossless in the profile or has PFC on a member of the port. Absent for ports without facts.
std::map<std::pair<std::string, std::string>, std::uint32_t> priorities_that_matter(const rules::Report& report) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> out;
  for (const PortView& view : port_views(report)) {
    std::uint32_t& mask = out[{clean_text(view.judged->device), std::to_string(view.judged->port)}];
    if (const rules::Profile* profile = rules::profile_named(view.judged->profile)) mask |= profile->pfc_priorities;
    for (const MemberView& member : view.members)
      if (member.facts != nullptr && member.facts->dcb.pfc) mask |= member.facts->dcb.pfc->enabled;
  }
  return out;
}

}  // namespace

void limit_series(CounterTable& counters, const rules::Report& report, const SeriesCount& others) {
  const auto port_of = [&](const CounterSeries& series) {
    const CounterPlace& place = counters.places[series.place];
    return std::pair(place.device, place.port);
  };
  SeriesCount wanted;
  for (const CounterSeries& series : counters.series) ++wanted[port_of(series)];
  const auto matter = priorities_that_matter(report);
  for (auto& entry : wanted) {
    const auto& port = entry.first;  // names of their own: clang 14 cannot capture a structured binding
    auto& count = entry.second;
    const auto beside = others.find(port);
    const std::size_t taken = beside == others.end() ? 0 : beside->second;
    if (taken + count <= kMostSeries) continue;
    // The number of those left out is a series too.
    const std::size_t room = kMostSeries - std::min(kMostSeries, taken + 1);
    const auto found = matter.find(port);
    const std::uint32_t mask = found == matter.end() ? 0 : found->second;
    const auto is_idle = [&](const CounterSeries& series) {
      return info_of(series.id).lane_kind == LaneKind::Priority && (mask >> (series.lane & 31U) & 1U) == 0;
    };
    const std::size_t before = count;
    const auto drop = [&](const auto& chosen) {
      if (count <= room) return;
      count -= std::erase_if(counters.series,
                             [&](const CounterSeries& series) { return port_of(series) == port && chosen(series); });
    };
    drop([&](const CounterSeries& series) { return is_traffic(series.id) && is_idle(series); });
    drop(is_idle);
    std::size_t kept = 0;
    drop([&](const CounterSeries&) { return ++kept > room; });
    counters.dropped.push_back({port.first, port.second, before - count});
  }
}

}  // namespace roceready::daemon

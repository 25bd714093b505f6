// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/counter_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include "core/base/text.h"
#include "daemon/export/port_view.h"
#include "daemon/export/prometheus.h"
#include "daemon/export/series_limit.h"

namespace roceready::daemon {
namespace {

/// Counters of the PCIe link or the whole adapter: one file for all ports of a device (docs/metrics.md).
bool is_device_level(CounterId id) {
  switch (id) {
    case CounterId::CqOverflow:
    case CounterId::IwarpResetsSent:
    case CounterId::IwarpRetransmittedSegments:
    case CounterId::IwarpRetransmittedSegmentsV6:
    case CounterId::IwarpRxSegments:
    case CounterId::UdQp1Drops:
      return true;
    default:
      return std::string_view(info_of(id).name).starts_with("pcie_");
  }
}

class Collector {
 public:
  explicit Collector(const History& history) : history_(history) {}

  std::uint16_t place(const std::string& device, const std::string& port, const std::string& netdev) {
    const auto found = known_.find({device, port, netdev});
    if (found != known_.end()) return found->second;
    const auto index = static_cast<std::uint16_t>(out_.places.size());
    out_.places.push_back({clean_text(device), port, clean_text(netdev)});
    known_[{device, port, netdev}] = index;
    return index;
  }

  void add(const std::string& owner, const CounterReadings& readings, std::uint16_t own, std::uint16_t whole_device) {
    for (const CounterValue& value : readings.values) {
      const CounterInfo& info = info_of(value.id);
      if (info.metric[0] == '-') continue;
      // A priority counter without a priority, or the other way round, has no place in its family.
      if ((info.lane_kind == LaneKind::None) != (value.lane == kNoLane)) continue;
      const Reading<double> total =
          info.kind == CounterKind::Counter ? history_.unwrapped(owner, value) : Reading<double>(value.value());
      if (total) out_.series.push_back({value.id, value.lane, is_device_level(value.id) ? whole_device : own, *total});
    }
  }

  CounterTable finish() {
    const auto key = [](const CounterSeries& s) { return std::tuple(s.id, s.place, s.lane); };
    // The first source of a series wins: members come before the RDMA side.
    std::stable_sort(out_.series.begin(), out_.series.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });
    out_.series.erase(std::unique(out_.series.begin(), out_.series.end(),
                                  [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                      out_.series.end());
    return std::move(out_);
  }

  [[nodiscard]] bool full() const { return out_.places.size() >= std::numeric_limits<std::uint16_t>::max() - 64; }

 private:
  const History& history_;
  CounterTable out_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint16_t> known_;
};

}  // namespace

CounterTable counter_table(const rules::Report& report, const History& history) {
  Collector collector(history);
  const std::vector<PortView> views = port_views(report);
  std::map<std::string, int> ports_of_device;
  for (const PortView& view : views) ++ports_of_device[view.judged->device];
  for (const PortView& view : views) {
    if (!view.judged->in_scope || view.facts == nullptr || collector.full()) continue;
    const std::string& device = view.judged->device;
    const std::string port = std::to_string(view.judged->port);
    const bool shared = ports_of_device[device] > 1;
    for (const MemberView& member : view.members) {
      if (member.facts == nullptr) continue;
      const std::uint16_t own = collector.place(device, port, member.name);
      collector.add(member.name, member.facts->counters, own, shared ? collector.place(device, "", "") : own);
    }
    const std::uint16_t own = collector.place(device, port, view.netdev);
    collector.add(owner_of(*view.facts), view.facts->counters, own, shared ? collector.place(device, "", "") : own);
  }
  CounterTable out = collector.finish();
  limit_series(out, report, series_beside_counters(report));
  return out;
}

}  // namespace roceready::daemon

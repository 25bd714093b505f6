// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/settle_counters.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "collectors/counter_plan.h"
#include "collectors/evidence/ask.h"
#include "collectors/rdma_devices.h"

namespace roceready::evidence {
namespace {

using CounterSet = std::map<std::string, std::uint64_t>;

RawCounters raw_of(const CounterSet& set, const Instant& at) {
  auto names = std::make_shared<std::vector<std::string>>();
  RawCounters out;
  for (const auto& [name, value] : set) {
    names->push_back(name);
    out.values.push_back(value);
  }
  out.names = std::move(names);
  out.at_ns = at.monotonic_ns;
  return out;
}

const CounterSet* set_of(const std::map<std::string, CounterSet>& sets, const std::string& owner) {
  const auto at = sets.find(owner);
  return at == sets.end() || at->second.empty() ? nullptr : &at->second;
}

/// Names of `set` that some row of the table knows.
std::size_t known_names(const VendorTable& table, bool rdma_side, const CounterSet* set) {
  if (set == nullptr) return 0;
  std::size_t out = 0;
  for (const auto& entry : *set) {
    out += std::any_of(table.rows.begin(), table.rows.end(), [&](const CounterRow& row) {
      const bool side = rdma_side ? is_rdma_side(row.source) : row.source == Source::EthtoolStatistics;
      return side && lane_of_name(row.name, entry.first);
    });
  }
  return out;
}

/// Everything that the driver's table has rows for: what a list does not hold may have been cut off.
std::vector<CounterId> all_offered(const VendorTable* table, bool rdma_side) {
  std::set<CounterId> out;
  for (const VendorTable* one : {table, &generic_table()}) {
    if (one == nullptr) continue;
    for (const CounterRow& row : one->rows) {
      const bool side = rdma_side ? is_rdma_side(row.source) : is_netdev_side(row.source);
      if (side && row.group != kWhenPresent) out.insert(row.id);
    }
  }
  return {out.begin(), out.end()};
}

void not_recorded(CounterReadings& readings, const VendorTable* table, bool rdma_side, const std::string& what) {
  readings.offered = all_offered(table, rdma_side);
  readings.why_absent = {Why::NotRecorded, what};
  std::erase_if(readings.unreadable, [](const UnreadableCounter& counter) {
    return counter.absent.why == Why::NotPresent || counter.absent.why == Why::NotSupported;
  });
}

/// Counts that the kernel names itself, of a netdev whose driver nobody told: totals of FEC, pause frames, PFC frames.
void add_kernel_counts(Netdev& netdev, const Instant& at) {
  constexpr std::uint8_t kMark = 255;  // no row of a table
  CounterReadings& out = netdev.counters;
  const auto add = [&](CounterId id, std::uint8_t lane, const Reading<std::uint64_t>& count) {
    if (!count || *count == std::numeric_limits<std::uint64_t>::max() || out.find(id, lane) != nullptr) return;
    out.values.push_back({id, lane, 64, *count, 1, kMark});
    out.offered.push_back(id);
  };
  const Reading<FecFacts>& fec = netdev.ethtool.fec;
  add(CounterId::FecCorrectedBits, kNoLane, field(fec, &FecFacts::corrected_bits));
  add(CounterId::FecCorrectedBlocks, kNoLane, field(fec, &FecFacts::corrected_blocks));
  add(CounterId::FecUncorrectableBlocks, kNoLane, field(fec, &FecFacts::uncorrectable_blocks));
  const Reading<PauseFacts>& pause = netdev.ethtool.pause;
  add(CounterId::MacPauseRxFrames, kNoLane, field(pause, &PauseFacts::rx_frames));
  add(CounterId::MacPauseTxFrames, kNoLane, field(pause, &PauseFacts::tx_frames));
  const auto received = field(netdev.dcb.pfc, &PfcFacts::indications);
  const auto sent = field(netdev.dcb.pfc, &PfcFacts::requests);
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if (received) add(CounterId::PfcRxPauseFrames, priority, (*received)[priority]);
    if (sent) add(CounterId::PfcTxPauseFrames, priority, (*sent)[priority]);
  }
  std::sort(out.values.begin(), out.values.end(), [](const CounterValue& a, const CounterValue& b) {
    return std::pair(a.id, a.lane) < std::pair(b.id, b.lane);
  });
  std::sort(out.offered.begin(), out.offered.end());
  out.offered.erase(std::unique(out.offered.begin(), out.offered.end()), out.offered.end());
  if (out.at_monotonic_ns == 0 && !out.values.empty()) out.at_monotonic_ns = at.monotonic_ns;
}

void settle_netdev(Draft& draft, Snapshot& into, Netdev& netdev, const Instant& at) {
  const std::string& name = netdev.link.name;
  const VendorTable* table = netdev.ethtool.driver ? vendor_of_netdev(netdev.ethtool.driver->driver) : nullptr;
  if (const CounterSet* set = set_of(draft.counters().statistics, name)) netdev.ethtool.statistics = raw_of(*set, at);
  const CounterNames names = netdev.ethtool.statistics ? netdev.ethtool.statistics->names : nullptr;
  const PciFunction* function = netdev.link.parent_device ? into.function(*netdev.link.parent_device) : nullptr;
  const CounterPlan plan = CounterPlan::for_netdev(table, names);
  netdev.counters = plan.read(netdev, function);
  if (netdev.ethtool.statistics)
    netdev.counters.at_monotonic_ns = netdev.ethtool.statistics->at_ns;
  else if (!netdev.counters.values.empty())
    netdev.counters.at_monotonic_ns = at.monotonic_ns;
  not_recorded(netdev.counters, table, false,
               names ? "the statistics of " + name + " that were given do not list it; " +
                           reason_with_command("ethtool -S " + name)
                     : reason_with_command("ethtool -S " + name));
  if (table == nullptr) add_kernel_counts(netdev, at);
  if (names) {
    for (std::size_t i = 0; i < names->size(); ++i) {
      for (const CounterPlan::Entry& entry : plan.entries()) {
        if (entry.source != Source::EthtoolStatistics || entry.index != i) continue;
        const std::string lane = entry.lane == kNoLane ? "" : " " + std::to_string(entry.lane);
        draft.also_called("ethtool statistics of " + name, (*names)[i], info_of(entry.id).name + lane);
      }
    }
  }
}

void settle_port(Draft& draft, RdmaPort& port, const Instant& at) {
  const std::string owner = port_name(port);
  const VendorTable* table = vendor_of_rdma(port.driver);
  if (const CounterSet* set = set_of(draft.counters().hw_counters, owner)) port.hw_counters = raw_of(*set, at);
  if (const CounterSet* set = set_of(draft.counters().port_counters, owner)) port.port_counters = raw_of(*set, at);
  const CounterNames hw = port.hw_counters ? port.hw_counters->names : nullptr;
  const CounterNames pma = port.port_counters ? port.port_counters->names : nullptr;
  const CounterPlan plan = CounterPlan::for_port(table, hw, pma);
  port.counters = plan.read(port);
  if (port.hw_counters)
    port.counters.at_monotonic_ns = port.hw_counters->at_ns;
  else if (port.port_counters)
    port.counters.at_monotonic_ns = port.port_counters->at_ns;
  not_recorded(port.counters, table, true,
               hw ? "the RDMA counters of " + owner + " that were given do not list it; " +
                        reason_with_command("rdma statistic show link " + owner)
                  : reason_with_command("rdma statistic show link " + owner));
  for (const CounterPlan::Entry& entry : plan.entries()) {
    const CounterNames& names = entry.source == Source::RdmaHwCounters ? hw : pma;
    if (!is_rdma_side(entry.source) || !names || entry.index >= names->size()) continue;
    draft.also_called("RDMA counters of " + owner, (*names)[entry.index], info_of(entry.id).name);
  }
}

}  // namespace

const VendorTable* table_by_names(const Draft& draft, const RdmaPort& port, const std::string& netdev) {
  const CounterSet* statistics = set_of(draft.counters().statistics, netdev);
  const std::string owner = port_name(port);
  const VendorTable* best = nullptr;
  std::size_t most = 0;
  bool tie = false;
  for (const VendorTable* table : vendor_tables()) {
    if (table == &generic_table()) continue;
    const std::size_t known = known_names(*table, false, statistics) +
                              known_names(*table, true, set_of(draft.counters().hw_counters, owner)) +
                              known_names(*table, true, set_of(draft.counters().port_counters, owner));
    tie = known == most && known > 0 ? true : known > most ? false : tie;
    if (known > most) best = table, most = known;
  }
  return tie ? nullptr : best;
}

void settle_counters(Draft& draft, Snapshot& into, const Instant& at) {
  for (Netdev& netdev : into.netdevs) settle_netdev(draft, into, netdev, at);
  for (RdmaPort& port : into.ports) settle_port(draft, port, at);
  // What was read at this moment stays in the draft's snapshot with its time; the sets begin anew.
  for (Netdev& netdev : into.netdevs) {
    if (set_of(draft.counters().statistics, netdev.link.name) == nullptr) continue;
    draft.netdev(netdev.link.name).ethtool.statistics = netdev.ethtool.statistics;
  }
  for (RdmaPort& port : into.ports) {
    const std::string owner = port_name(port);
    if (set_of(draft.counters().hw_counters, owner) != nullptr)
      draft.port(port.device, port.port).hw_counters = port.hw_counters;
    if (set_of(draft.counters().port_counters, owner) != nullptr)
      draft.port(port.device, port.port).port_counters = port.port_counters;
  }
  draft.counters() = {};
}

}  // namespace roceready::evidence

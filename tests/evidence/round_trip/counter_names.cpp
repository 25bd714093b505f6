// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/round_trip/counter_names.h"

#include <algorithm>
#include <cmath>

#include "collectors/vendors/vendor.h"

namespace roceready::round_trip {
namespace {

NamedCounters raw_list(const RawCounters& raw) {
  NamedCounters out;
  for (std::size_t i = 0; i < raw.size(); ++i) out.emplace_back((*raw.names)[i], raw.values[i]);
  return out;
}

std::string name_for(const CounterRow& row, std::uint8_t lane) {
  constexpr std::string_view kPriority = "{prio}";
  std::string out(row.name);
  const auto hole = out.find(kPriority);
  if (hole != std::string::npos) out.replace(hole, kPriority.size(), std::to_string(lane));
  return out;
}

bool is_row_of(const CounterRow& row, const CounterValue& value, Source source) {
  const bool any_priority = row.name.find("{prio}") != std::string_view::npos;
  const bool lane = any_priority ? value.lane < kPriorities : row.lane == value.lane;
  return row.source == source && row.id == value.id && lane && std::abs(row.scale - value.scale) < 1e-15;
}

/// Of a host that does not tell its driver: some driver that has all of its counters.
const VendorTable* any_table(const CounterReadings& readings, Source source) {
  for (const VendorTable* table : vendor_tables()) {
    const bool all = std::all_of(readings.values.begin(), readings.values.end(), [&](const CounterValue& value) {
      return std::any_of(table->rows.begin(), table->rows.end(),
                         [&](const CounterRow& row) { return is_row_of(row, value, source); });
    });
    if (all && !readings.values.empty()) return table;
  }
  return nullptr;
}

NamedCounters canonical_list(const VendorTable* table, const CounterReadings& readings, Source source) {
  NamedCounters out;
  if (table == nullptr) table = any_table(readings, source);
  if (table == nullptr) return out;
  for (const CounterValue& value : readings.values) {
    const auto row = std::find_if(table->rows.begin(), table->rows.end(),
                                  [&](const CounterRow& one) { return is_row_of(one, value, source); });
    if (row != table->rows.end()) out.emplace_back(name_for(*row, value.lane), value.raw);
  }
  return out;
}

}  // namespace

NamedCounters statistics_of(const Snapshot& snapshot, const Netdev& netdev) {
  if (netdev.ethtool.statistics) return raw_list(*netdev.ethtool.statistics);
  const VendorTable* table = netdev.ethtool.driver ? vendor_of_netdev(netdev.ethtool.driver->driver) : nullptr;
  for (const RdmaPort& port : snapshot.ports) {
    const bool member = std::find(port.members.begin(), port.members.end(), netdev.link.name) != port.members.end();
    if (table == nullptr && member) table = vendor_of_rdma(port.driver);
  }
  return canonical_list(table, netdev.counters, Source::EthtoolStatistics);
}

NamedCounters hw_counters_of(const RdmaPort& port) {
  if (port.hw_counters) return raw_list(*port.hw_counters);
  return canonical_list(vendor_of_rdma(port.driver), port.counters, Source::RdmaHwCounters);
}

NamedCounters port_counters_of(const RdmaPort& port) {
  if (port.port_counters) return raw_list(*port.port_counters);
  if (port.hw_counters) return {};
  return canonical_list(vendor_of_rdma(port.driver), port.counters, Source::RdmaPortCounters);
}

}  // namespace roceready::round_trip

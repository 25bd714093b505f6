// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/vendors/vendor.h"
#include "core/counters/counter.h"
#include "core/snapshot/ethtool.h"
#include "core/snapshot/pci.h"
#include "core/snapshot/rdma.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// The priority that a name has where the pattern says {prio}; kNoLane for a pattern without it. Nothing: no match.
[[nodiscard]] std::optional<std::uint8_t> lane_of_name(std::string_view pattern, std::string_view name);

/// A mapping from raw values to canonical counters, made once for a set of names.
/// Cost: making it compares every name with every row; using it moves numbers only.
class CounterPlan {
 public:
  struct Entry {
    CounterId id;
    std::uint8_t lane, width;
    double scale;
    Source source;
    std::uint32_t index;  ///< of the name in its set, where the source has one
    std::string_view name;
    std::uint8_t mark;          ///< tells the rows of one counter apart: CounterValue::source
    bool when_present = false;  ///< kWhenPresent
    std::uint64_t full = 0;     ///< value at which the field sticks; 0: it does not
    bool in_halves = false;     ///< CounterValue::in_halves
  };
  /// Rows of the netdev's side: the driver's table (may be nullptr) and those for any driver.
  [[nodiscard]] static CounterPlan for_netdev(const VendorTable* table, const CounterNames& statistics);
  /// Rows of the RDMA side.
  [[nodiscard]] static CounterPlan for_port(const VendorTable* table, const CounterNames& hw, const CounterNames& port);

  /// Whether it was made for these sets of names and this table.
  [[nodiscard]] bool fits(const VendorTable* table, const CounterNames& first, const CounterNames& second) const;
  /// Canonical counters of the netdev; `function` is its PCI function, nullptr where there is none. A counter that the
  /// readings of before (`netdev.counters`) hold comes from the same row again while that has a value, so that rows
  /// which come and go do not make it jump; otherwise from the first row that has one. CounterValue::source says which.
  [[nodiscard]] CounterReadings read(const Netdev& netdev, const PciFunction* function) const;
  /// The same of the RDMA side.
  [[nodiscard]] CounterReadings read(const RdmaPort& port) const;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  void add_names(const VendorTable& table, Source source, const CounterNames& names);
  void add_facts(const VendorTable& table);
  void add_row(const VendorTable& table, const CounterRow& row, std::uint8_t lane, std::uint32_t index);
  void finish();

  const VendorTable* table_ = nullptr;
  CounterNames first_, second_;
  std::vector<Entry> entries_;  ///< sorted by id and lane, by precedence where these are equal
  std::vector<CounterId> offered_;
};

}  // namespace roceready

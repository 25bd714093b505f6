// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "collectors/vendors/vendor.h"
#include "core/history/columns.h"
#include "rules/engine.h"

namespace roceready {
namespace {

constexpr std::size_t kLanes = 8;

bool wanted(CounterId id) {
  static const std::set<CounterId> needed = [] {
    const auto ids = rules::needed_signals();
    return std::set<CounterId>(ids.begin(), ids.end());
  }();
  return needed.contains(id) && info_of(id).kind == CounterKind::Counter;
}

/// Columns that one owner would have if its NIC showed all that rules read, on every priority.
std::size_t columns_of(const VendorTable& table, bool rdma_side) {
  std::set<CounterId> ids;
  const auto take = [&](const VendorTable& from) {
    for (const CounterRow& row : from.rows) {
      const bool here = rdma_side ? is_rdma_side(row.source) : is_netdev_side(row.source);
      if (here && wanted(row.id)) ids.insert(row.id);
    }
  };
  take(table);
  if (!rdma_side) take(generic_table());
  std::size_t out = 0;
  for (const CounterId id : ids) out += info_of(id).lane_kind == LaneKind::None ? 1 : kLanes;
  return out;
}

// History keeps Columns::kMaxSignals of an owner, which is a netdev or the RDMA side of a port. A signal that the owner
// never shows has no column, so what counts is each vendor's own list, not the union.
TEST(HistoryBudget, has_room_for_all_that_rules_read_of_any_vendor) {
  for (const VendorTable* table : vendor_tables()) {
    EXPECT_LE(columns_of(*table, false), Columns::kMaxSignals) << table->name << ", netdev";
    EXPECT_LE(columns_of(*table, true), Columns::kMaxSignals) << table->name << ", RDMA";
  }
}

}  // namespace
}  // namespace roceready

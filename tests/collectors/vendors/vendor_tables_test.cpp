// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "collectors/counter_plan.h"
#include "collectors/vendors/vendor.h"
#include "tests/collectors/vendors/reference.h"

namespace roceready {
namespace {

using Row = std::map<std::string, std::string>;

/// The table that holds the rows of a driver as counters.csv and the name lists call it.
const VendorTable& table_of(const std::string& driver) {
  if (driver == "any") return generic_table();
  const std::string rdma = driver == "cxgb4" ? "iw_cxgb4" : driver == "ib_core" ? "mlx5_ib" : driver;
  const VendorTable* table = vendor_of_netdev(driver);
  if (table == nullptr) table = vendor_of_rdma(rdma);
  EXPECT_NE(table, nullptr) << driver;
  return table != nullptr ? *table : generic_table();
}

Source source_of(const std::string& word) {
  static const std::map<std::string, Source> kSources{{"ethtool_stats", Source::EthtoolStatistics},
                                                      {"ethtool", Source::EthtoolStatistics},
                                                      {"ethtool_netlink_pause", Source::Pause},
                                                      {"ethtool_netlink_fec", Source::Fec},
                                                      {"ethtool_netlink_linkstate", Source::LinkState},
                                                      {"sysfs_net", Source::Carrier},
                                                      {"sysfs_pci", Source::Pci},
                                                      {"rdma_hw_counters", Source::RdmaHwCounters},
                                                      {"hw_counters", Source::RdmaHwCounters},
                                                      {"rdma_statistic", Source::RdmaHwCounters},
                                                      {"rdma_port_counters", Source::RdmaPortCounters},
                                                      {"port_counters", Source::RdmaPortCounters},
                                                      {"devlink_health", Source::DevlinkHealth},
                                                      {"debugfs", Source::Debugfs}};
  const auto found = kSources.find(word);
  EXPECT_NE(found, kSources.end()) << word;
  return found == kSources.end() ? Source::Debugfs : found->second;
}

Scope scope_of(const std::string& word) {
  static const std::map<std::string, Scope> kScopes{
      {"port", Scope::Port},   {"function", Scope::Function}, {"device", Scope::Device}, {"lag", Scope::Lag},
      {"queue", Scope::Queue}, {"tc", Scope::TrafficClass},   {"lane", Scope::Lane}};
  return kScopes.at(word);
}

/// dcbnl repeats what ethtool counts, on mlx5 from a stale cache; one source a canonical.
bool is_row(const Row& facts) {
  return facts.at("source") != "dcbnl";
}

TEST(VendorTables, hold_every_row_of_the_reference) {
  for (const Row& facts : reference::counters()) {
    if (!is_row(facts)) continue;
    const VendorTable& table = table_of(facts.at("driver"));
    const Source source = source_of(facts.at("source"));
    const auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const CounterRow& one) {
      return one.source == source && one.name == facts.at("name");
    });
    ASSERT_NE(row, table.rows.end()) << facts.at("driver") << " " << facts.at("name");
    EXPECT_EQ(info_of(row->id).name, facts.at("canonical")) << row->name;
    EXPECT_EQ(row->scope, scope_of(facts.at("scope"))) << row->name;
    EXPECT_EQ(std::to_string(row->width), facts.at("width") == "-" ? "64" : facts.at("width")) << row->name;
    // The snapshot has link speeds in transfers per second already.
    if (facts.at("name") != "current_link_speed") {
      EXPECT_EQ(row->scale, parse_double(facts.at("scale"))) << row->name;
    }
  }
}

TEST(VendorTables, hold_nothing_but_the_reference) {
  std::set<std::pair<Source, std::string>> known;
  for (const Row& facts : reference::counters())
    known.emplace(source_of(facts.at("source") == "dcbnl" ? "debugfs" : facts.at("source")), facts.at("name"));
  std::vector<const VendorTable*> tables(vendor_tables().begin(), vendor_tables().end());
  for (const VendorTable* table : tables) {
    for (const CounterRow& row : table->rows)
      EXPECT_TRUE(known.contains({row.source, std::string(row.name)})) << row.name;
  }
}

TEST(Catalogue, has_the_metric_the_kind_and_the_lane_of_the_reference) {
  const std::map<std::string, LaneKind> lanes{
      {"no", LaneKind::None}, {"yes", LaneKind::Priority}, {"cos", LaneKind::Cos}, {"tc", LaneKind::TrafficClass}};
  for (const Row& facts : reference::counters()) {
    const auto id = counter_from_name(facts.at("canonical"));
    ASSERT_TRUE(id) << facts.at("canonical");
    EXPECT_EQ(info_of(*id).metric, facts.at("metric"));
    EXPECT_EQ(info_of(*id).kind == CounterKind::Gauge, facts.at("kind") == "gauge") << facts.at("canonical");
    if (facts.at("scope") != "lane") {
      EXPECT_EQ(info_of(*id).lane_kind, lanes.at(facts.at("per_priority"))) << facts.at("canonical");
    }
  }
}

/// Rows of the reference that share a counter are in the order of preference in the tables too.
TEST(VendorTables, keep_the_order_of_the_reference) {
  std::map<std::string, std::vector<std::string>> wanted;
  for (const Row& facts : reference::counters()) {
    if (is_row(facts))
      wanted[table_of(facts.at("driver")).name.data() + (" " + facts.at("canonical"))].push_back(facts.at("name"));
  }
  // The kernel's sum of all priorities says more than what ethtool shows of priority 0.
  std::ranges::reverse(wanted["mlx5 tx_pause_storm_error"]);
  std::vector<const VendorTable*> tables(vendor_tables().begin(), vendor_tables().end());
  for (const VendorTable* table : tables) {
    std::map<std::string, std::vector<std::string>> have;
    for (const CounterRow& row : table->rows)
      have[std::string(table->name) + " " + info_of(row.id).name].emplace_back(row.name);
    for (const auto& [key, names] : have) EXPECT_EQ(names, wanted[key]) << key;
  }
}

TEST(VendorTables, map_or_ignore_every_name_that_a_driver_prints) {
  const auto ignored = reference::ignored();
  std::set<std::string> used;
  std::size_t names = 0;
  for (const reference::NameList& list : reference::name_lists()) {
    const VendorTable& table = table_of(list.driver);
    const Source source = source_of(list.source);
    for (const std::string& name : list.names) {
      ++names;
      if (std::any_of(table.rows.begin(), table.rows.end(), [&](const CounterRow& row) {
            return row.source == source && lane_of_name(row.name, trim(name));
          }))
        continue;
      const auto why = std::find_if(ignored.begin(), ignored.end(), [&](const reference::Ignored& one) {
        return (one.driver == "*" || one.driver == list.driver) && matches_pattern(one.pattern, name);
      });
      EXPECT_NE(why, ignored.end()) << list.file << ": " << name << " is neither mapped nor ignored";
      if (why != ignored.end()) used.insert(why->driver + why->pattern);
    }
  }
  EXPECT_GT(names, 3000U);
  for (const reference::Ignored& one : ignored) {
    EXPECT_TRUE(used.contains(one.driver + one.pattern)) << one.driver << " prints no " << one.pattern;
    EXPECT_GT(one.reason.size(), 9U) << one.pattern;
  }
}

/// Chips and versions of one driver: what their lists of names lack can never be shown.
TEST(VendorTables, know_what_a_generation_can_never_show) {
  const struct {
    const char* file;
    CounterId id;
    bool shown;
  } kCases[] = {
      {"irdma.hw_counters.v6.18.gen1-x722.txt", CounterId::CnpSent, false},
      {"irdma.hw_counters.v6.18.gen2-e810.txt", CounterId::CnpSent, true},
      {"irdma.hw_counters.v6.18.gen2-e810.txt", CounterId::LocalAckTimeout, false},
      {"irdma.hw_counters.v6.18.gen3.txt", CounterId::LocalAckTimeout, true},
      {"bnxt_re.hw_counters.v5.17.p5.txt", CounterId::CnpSent, false},
      {"bnxt_re.hw_counters.pre-v6.18.p5.txt", CounterId::CnpSent, true},
      {"bnxt_re.hw_counters.v6.18.pre-p5.txt", CounterId::CnpSent, false},
      {"bnxt_re.hw_counters.v6.18.pre-p5.txt", CounterId::LocalAckTimeout, true},
      {"bnxt_re.hw_counters.v6.18.p5-p7.txt", CounterId::CnpIgnored, false},
      {"bnxt_re.hw_counters.vendor-out-of-tree.thor2.txt", CounterId::CnpIgnored, true},
      {"ionic_rdma.hw_counters.fw-capri-elba.txt", CounterId::LocalAckTimeout, false},
      {"ionic_rdma.hw_counters.fw-pollara.txt", CounterId::LocalAckTimeout, true},
      {"mlx5_ib.hw_counters.port.txt", CounterId::VportOutOfSequence, false},
      {"mlx5_ib.hw_counters.switchdev-vport-port.txt", CounterId::VportOutOfSequence, true},
      {"rdma_rxe.hw_counters.txt", CounterId::CnpSent, false},
  };
  for (const auto& one : kCases) {
    const std::string driver(split(one.file, '.').front());
    RdmaPort port;
    const auto names =
        std::make_shared<const std::vector<std::string>>(reference::lines_of(reference::directory() / one.file));
    port.hw_counters = RawCounters{names, std::vector<std::uint64_t>(names->size(), 1), 0, 0};
    const CounterReadings readings = CounterPlan::for_port(vendor_of_rdma(driver), names, nullptr).read(port);
    EXPECT_EQ(readings.can_show(one.id), one.shown) << one.file << " " << info_of(one.id).name;
    EXPECT_EQ(readings.find(one.id) != nullptr, one.shown) << one.file << " " << info_of(one.id).name;
  }
}

}  // namespace
}  // namespace roceready

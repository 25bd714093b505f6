// SPDX-License-Identifier: Apache-2.0
#include "collectors/counter_plan.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "tests/collectors/driver_names.h"

namespace roceready {
namespace {

template <std::size_t N>
CounterNames names_of(const char* const (&list)[N]) {
  return std::make_shared<const std::vector<std::string>>(std::begin(list), std::end(list));
}

/// Values that tell each name apart: 100, 101, …
RawCounters counting(const CounterNames& names) {
  RawCounters out{names, {}, 0, 0};
  for (std::size_t i = 0; i < names->size(); ++i) out.values.push_back(100 + i);
  return out;
}

std::uint64_t value_of(const RawCounters& raw, const std::string& name) {
  const auto at = std::find(raw.names->begin(), raw.names->end(), name);
  return at == raw.names->end() ? 0 : raw.values[static_cast<std::size_t>(at - raw.names->begin())];
}

TEST(LaneOfName, matches_priorities_only) {
  EXPECT_EQ(lane_of_name("rx_prio{prio}_pause", "rx_prio3_pause"), 3);
  EXPECT_EQ(lane_of_name("rx_prio{prio}_pause", "rx_prio3_pause_duration"), std::nullopt);
  EXPECT_EQ(lane_of_name("rx_prio{prio}_pause", "rx_prio8_pause"), std::nullopt);
  EXPECT_EQ(lane_of_name("rx_prio{prio}_pause", "rx_prio_pause"), std::nullopt);
  EXPECT_EQ(lane_of_name("{prio}", "7"), 7);
  EXPECT_EQ(lane_of_name("plain", "plain"), kNoLane);
  EXPECT_EQ(lane_of_name("plain", "plain2"), std::nullopt);
  EXPECT_EQ(lane_of_name("{prio}", ""), std::nullopt);
}

TEST(VendorTables, are_consistent) {
  std::vector<const VendorTable*> tables(vendor_tables().begin(), vendor_tables().end());
  tables.push_back(&generic_table());
  for (const VendorTable* table : tables) {
    EXPECT_FALSE(table->name.empty());
    for (const CounterRow& row : table->rows) {
      EXPECT_FALSE(row.name.empty());
      EXPECT_GT(row.scale, 0) << row.name;
      EXPECT_TRUE(row.width > 0 && row.width <= 64) << row.name;
      const bool per_lane = info_of(row.id).lane_kind != LaneKind::None;
      EXPECT_EQ(per_lane, row.name.find("{prio}") != std::string_view::npos || row.lane != kNoLane) << row.name;
    }
  }
  EXPECT_EQ(vendor_of_netdev("mlx5_core"), vendor_of_rdma("mlx5_ib"));
  EXPECT_NE(vendor_of_rdma("rdma_rxe"), nullptr);
  EXPECT_EQ(vendor_of_netdev("veth"), nullptr);
  EXPECT_EQ(vendor_of_rdma(""), nullptr);
}

TEST(CounterPlan, maps_an_mlx5_port_with_pfc_on_priority_3) {
  Netdev netdev;
  netdev.ethtool.statistics = counting(names_of(samples::kMlx5EthtoolPrio3));
  const RawCounters& raw = *netdev.ethtool.statistics;
  const CounterPlan plan = CounterPlan::for_netdev(vendor_of_netdev("mlx5_core"), raw.names);
  const CounterReadings readings = plan.read(netdev, nullptr);
  EXPECT_TRUE(readings.driver_known);
  ASSERT_NE(readings.find(CounterId::PfcRxPauseDuration, 3), nullptr);
  EXPECT_EQ(readings.find(CounterId::PfcRxPauseDuration, 3)->raw, value_of(raw, "rx_prio3_pause_duration"));
  EXPECT_EQ(readings.find(CounterId::PfcRxPauseDuration, 3)->scale, 1e-6);
  EXPECT_EQ(readings.find(CounterId::PfcRxPauseFrames, 4), nullptr);
  EXPECT_EQ(readings.find(CounterId::GlobalPauseRxFrames), nullptr);
  for (std::uint8_t lane = 0; lane < 8; ++lane) EXPECT_NE(readings.find(CounterId::RxBytesPriority, lane), nullptr);
  EXPECT_EQ(readings.find(CounterId::RxOutOfBufferEth)->width, 32);
  EXPECT_EQ(readings.find(CounterId::LaneRawErrors, 2)->raw, value_of(raw, "rx_err_lane_2_phy"));
  EXPECT_TRUE(readings.can_show(CounterId::GlobalPauseRxFrames));
  EXPECT_TRUE(readings.can_show(CounterId::FecUncorrectableBlocks));
  EXPECT_TRUE(readings.can_show(CounterId::PcieAerFatal));
  EXPECT_FALSE(readings.can_show(CounterId::CnpSent));
  EXPECT_EQ(readings.why_absent.why, Why::NotPresent);
}

TEST(CounterPlan, values_are_sorted_and_unique_for_every_list_of_names) {
  const VendorTable* mlx5 = vendor_of_netdev("mlx5_core");
  const auto check = [](const CounterReadings& readings, std::size_t at_least) {
    EXPECT_GE(readings.values.size(), at_least);
    for (std::size_t i = 1; i < readings.values.size(); ++i) {
      const CounterValue &a = readings.values[i - 1], &b = readings.values[i];
      EXPECT_LT(std::tuple(a.id, a.lane), std::tuple(b.id, b.lane)) << info_of(b.id).name;
    }
    EXPECT_TRUE(std::is_sorted(readings.offered.begin(), readings.offered.end()));
    for (const CounterValue& value : readings.values)
      EXPECT_TRUE(readings.can_show(value.id)) << info_of(value.id).name;
  };
  for (const CounterNames& names : {names_of(samples::kMlx5EthtoolPrio3), names_of(samples::kMlx5EthtoolGlobalPause)}) {
    Netdev netdev;
    netdev.ethtool.statistics = counting(names);
    check(CounterPlan::for_netdev(mlx5, names).read(netdev, nullptr), 5);
    check(CounterPlan::for_netdev(nullptr, names).read(netdev, nullptr), 0);
  }
  for (const CounterNames& names : {names_of(samples::kMlx5HwCounters), names_of(samples::kMlx5SwitchdevHwCounters)}) {
    RdmaPort port;
    port.hw_counters = counting(names);
    port.port_counters = counting(names_of(samples::kPortCounters));
    check(CounterPlan::for_port(mlx5, names, port.port_counters->names).read(port), 10);
  }
}

TEST(CounterPlan, every_rxe_counter_is_mapped) {
  RdmaPort port;
  port.hw_counters = counting(names_of(samples::kRxeHwCounters));
  const CounterReadings readings =
      CounterPlan::for_port(vendor_of_rdma("rdma_rxe"), port.hw_counters->names, nullptr).read(port);
  const auto& names = *port.hw_counters->names;
  const auto real =
      std::count_if(names.begin(), names.end(), [](const std::string& name) { return name != "lifespan"; });
  EXPECT_EQ(readings.values.size(), static_cast<std::size_t>(real));
  EXPECT_EQ(readings.find(CounterId::OutOfSequenceEvents)->raw, value_of(*port.hw_counters, "out_of_seq_request"));
}

TEST(CounterPlan, the_first_source_that_has_a_value_wins) {
  Netdev netdev;
  netdev.link.carrier_down_count = 4U;
  netdev.link.carrier_up_count = 5U;
  netdev.ethtool.pause = PauseFacts{false, false, false, std::uint64_t{8}, std::uint64_t{9}};
  netdev.ethtool.link_state = LinkState{true, Absent{}, Absent{}, 6U};
  netdev.ethtool.statistics = Absent{Why::Denied, "no"};
  PciFunction function;
  function.current_width = 16U;
  function.current_speed = std::uint64_t{32000000000};
  function.aer = std::map<std::string, std::uint64_t>{{"correctable", 3}};
  const CounterReadings without =
      CounterPlan::for_netdev(vendor_of_netdev("mlx5_core"), nullptr).read(netdev, &function);
  EXPECT_EQ(without.find(CounterId::MacPauseRxFrames)->raw, 9U);
  EXPECT_EQ(without.find(CounterId::LinkDownEvents)->raw, 6U);
  EXPECT_EQ(without.find(CounterId::CarrierChanges)->raw, 9U);
  EXPECT_EQ(without.find(CounterId::CarrierDownEvents)->raw, 4U);
  EXPECT_EQ(without.find(CounterId::PcieAerCorrectable)->raw, 3U);
  EXPECT_EQ(without.find(CounterId::PcieAerFatal), nullptr);
  EXPECT_EQ(without.find(CounterId::PcieLinkSpeed)->value(), 32e9);
  EXPECT_EQ(without.find(CounterId::PcieLinkWidth)->value(), 16);
  EXPECT_EQ(without.why_absent.why, Why::Denied);

  const auto names =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"rx_pause_ctrl_phy", "novel_name"});
  netdev.ethtool.statistics = RawCounters{names, {77, 1}, 0, 0};
  const CounterReadings with = CounterPlan::for_netdev(vendor_of_netdev("mlx5_core"), names).read(netdev, nullptr);
  EXPECT_EQ(with.find(CounterId::MacPauseRxFrames)->raw, 77U);
  EXPECT_EQ(with.find(CounterId::MacPauseTxFrames)->raw, 8U);
}

TEST(CounterPlan, a_counter_keeps_its_source_while_that_has_a_value) {
  const auto list = [](std::vector<std::string> names) {
    return std::make_shared<const std::vector<std::string>>(std::move(names));
  };
  const CounterNames plain = list({"np_cnp_sent"}), optional = list({"np_cnp_sent", "rdma_tx_packets"});
  const CounterNames pma = list({"port_xmit_packets"});
  RdmaPort port;
  port.port_counters = RawCounters{pma, {1000}, 0, 0};
  const auto read = [&](const CounterNames& hw) {
    port.hw_counters = hw == optional ? RawCounters{hw, {5, 40}, 0, 0} : RawCounters{hw, {5}, 0, 0};
    port.counters = CounterPlan::for_port(vendor_of_rdma("mlx5_ib"), hw, pma).read(port);
    return *port.counters.find(CounterId::RdmaTxPackets);
  };
  const std::uint8_t pma_mark = read(plain).source;
  EXPECT_EQ(read(optional).source, pma_mark) << "an optional counter is switched on";
  EXPECT_EQ(port.counters.find(CounterId::RdmaTxPackets)->raw, 1000U);

  port.counters = {};
  EXPECT_NE(read(optional).source, pma_mark);
  EXPECT_EQ(read(optional).raw, 40U);
  EXPECT_EQ(read(plain).source, pma_mark) << "and off again: the change is marked";
}

TEST(CounterPlan, an_unknown_driver_still_has_what_holds_for_any) {
  Netdev netdev;
  netdev.link.carrier_down_count = 1U;
  const CounterReadings readings = CounterPlan::for_netdev(nullptr, nullptr).read(netdev, nullptr);
  EXPECT_FALSE(readings.driver_known);
  EXPECT_NE(readings.find(CounterId::CarrierDownEvents), nullptr);
}

}  // namespace
}  // namespace roceready

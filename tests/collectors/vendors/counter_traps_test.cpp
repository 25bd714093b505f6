// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gtest/gtest.h>

#include "collectors/counter_plan.h"

namespace roceready {
namespace {

constexpr std::uint64_t kAllOnes = std::numeric_limits<std::uint64_t>::max();

RawCounters counters(std::vector<std::string> names, std::vector<std::uint64_t> values) {
  return {std::make_shared<const std::vector<std::string>>(std::move(names)), std::move(values), 0, 0};
}

CounterReadings read_hw(const char* driver, const RawCounters& hw) {
  RdmaPort port;
  port.hw_counters = hw;
  return CounterPlan::for_port(vendor_of_rdma(driver), hw.names, nullptr).read(port);
}

CounterReadings read_pma(const char* driver, const RawCounters& pma) {
  RdmaPort port;
  port.hw_counters = RawCounters{};
  port.port_counters = pma;
  return CounterPlan::for_port(vendor_of_rdma(driver), nullptr, pma.names).read(port);
}

TEST(CounterTraps, all_ones_is_unreadable_and_says_so) {
  const CounterReadings readings =
      read_hw("ionic_rdma", counters({"rx_rdma_ecn_pkts", "tx_rdma_cnp_pkts"}, {kAllOnes, 7}));
  EXPECT_EQ(readings.find(CounterId::EcnMarkedRx), nullptr);
  EXPECT_EQ(readings.find(CounterId::CnpSent)->raw, 7U);
  EXPECT_TRUE(readings.can_show(CounterId::EcnMarkedRx));
  EXPECT_EQ(readings.why(CounterId::EcnMarkedRx).why, Why::Malformed);
  EXPECT_NE(readings.why(CounterId::EcnMarkedRx).detail.find("all bits are set"), std::string::npos);
  EXPECT_EQ(readings.why(CounterId::CnpReceived).why, Why::NotPresent) << "another counter has the group's reason";
}

TEST(CounterTraps, an_unreadable_row_leaves_its_place_to_the_next) {
  const CounterReadings readings =
      read_hw("bnxt_re", counters({"local_ack_timeout_err", "to_retransmits"}, {kAllOnes, 12}));
  EXPECT_EQ(readings.find(CounterId::LocalAckTimeout)->raw, 12U);
  EXPECT_TRUE(readings.unreadable.empty());
}

TEST(CounterTraps, a_full_narrow_field_of_mlx5_no_longer_counts) {
  const CounterReadings full =
      read_pma("mlx5_ib", counters({"symbol_error", "link_downed", "port_xmit_discards"}, {65535, 255, 65534}));
  EXPECT_EQ(full.find(CounterId::IbSymbolErrors), nullptr);
  EXPECT_EQ(full.find(CounterId::LinkDownEvents), nullptr);
  EXPECT_EQ(full.find(CounterId::PortXmitDiscards)->raw, 65534U);
  EXPECT_NE(full.why(CounterId::LinkDownEvents).detail.find("8 bits is full at 255"), std::string::npos);
}

TEST(CounterTraps, narrow_fields_of_bnxt_wrap_instead) {
  const CounterReadings readings = read_pma("bnxt_re", counters({"port_xmit_discards"}, {65535}));
  EXPECT_EQ(readings.find(CounterId::PortXmitDiscards)->raw, 65535U);
  EXPECT_EQ(readings.find(CounterId::PortXmitDiscards)->width, 16);
}

TEST(CounterTraps, firmware_may_spell_ionic_names_as_it_likes) {
  const CounterReadings readings =
      read_hw("ionic_rdma", counters({"RX-RDMA-ECN-PKTS", "resp rx outof seq", "TxRdmaCnpPkts"}, {1, 2, 3}));
  EXPECT_EQ(readings.find(CounterId::EcnMarkedRx)->raw, 1U);
  EXPECT_EQ(readings.find(CounterId::OutOfSequence)->raw, 2U);
  EXPECT_EQ(readings.find(CounterId::CnpSent)->raw, 3U);
  EXPECT_EQ(read_hw("irdma", counters({"CNPSENT"}, {1})).find(CounterId::CnpSent), nullptr) << "others spell exactly";
}

TEST(CounterTraps, blanks_around_a_name_do_not_count_but_those_in_it_do) {
  Netdev netdev;
  netdev.ethtool.statistics = counters({"tx_pause_storm_warning_events "}, {4});
  const CounterReadings readings =
      CounterPlan::for_netdev(vendor_of_netdev("mlx5_core"), netdev.ethtool.statistics->names).read(netdev, nullptr);
  EXPECT_EQ(readings.find(CounterId::TxPauseStormWarning)->raw, 4U);
  EXPECT_EQ(read_hw("irdma", counters({"RNR sent"}, {9})).find(CounterId::RnrNakSent)->raw, 9U);
  EXPECT_EQ(read_hw("irdma", counters({"RNRsent"}, {9})).find(CounterId::RnrNakSent), nullptr);
}

TEST(CounterTraps, pause_storms_of_the_kernel_count_for_any_driver_that_fills_them) {
  Netdev netdev;
  netdev.ethtool.pause = PauseFacts{};
  const auto read = [&] { return CounterPlan::for_netdev(vendor_of_netdev("bnxt_en"), nullptr).read(netdev, nullptr); };
  EXPECT_FALSE(read().can_show(CounterId::TxPauseStormError)) << "no attribute: this driver never shows it";
  netdev.ethtool.pause->tx_storm_events = std::uint64_t{6};
  EXPECT_TRUE(read().can_show(CounterId::TxPauseStormError));
  EXPECT_EQ(read().find(CounterId::TxPauseStormError)->raw, 6U);
}

TEST(CounterTraps, pause_storms_of_all_priorities_go_before_those_of_priority_0) {
  Netdev netdev;
  netdev.ethtool.pause = PauseFacts{};
  netdev.ethtool.statistics = counters({"tx_pause_storm_error_events"}, {2});
  const auto read = [&] {
    return CounterPlan::for_netdev(vendor_of_netdev("mlx5_core"), netdev.ethtool.statistics->names)
        .read(netdev, nullptr);
  };
  EXPECT_EQ(read().find(CounterId::TxPauseStormError)->raw, 2U);
  netdev.ethtool.pause->tx_storm_events = std::uint64_t{7};
  EXPECT_EQ(read().find(CounterId::TxPauseStormError)->raw, 7U);
}

TEST(CounterTraps, a_kunpeng_without_hardware_counters_can_never_show_them) {
  const auto read = [](const Absent& why) {
    RdmaPort port;
    port.hw_counters = why;
    return CounterPlan::for_port(vendor_of_rdma("hns_roce"), nullptr, nullptr).read(port);
  };
  EXPECT_FALSE(read({Why::NotPresent, "no directory"}).can_show(CounterId::CnpSent)) << "HIP08 has none";
  EXPECT_TRUE(read({Why::Denied, "permission"}).can_show(CounterId::CnpSent)) << "nobody knows what it would show";
}

TEST(CounterTraps, a_list_of_unknown_names_says_nothing_about_what_the_chip_lacks) {
  EXPECT_TRUE(read_hw("irdma", counters({"garbage"}, {1})).can_show(CounterId::LocalAckTimeout));
}

TEST(CounterTraps, gauges_are_no_counters) {
  for (const CounterId id : {CounterId::PcieStalledReadPct, CounterId::PcieStalledWritePct, CounterId::ActiveQps,
                             CounterId::CcCurrentRate, CounterId::PcieLinkWidth})
    EXPECT_EQ(info_of(id).kind, CounterKind::Gauge) << info_of(id).name;
}

}  // namespace
}  // namespace roceready

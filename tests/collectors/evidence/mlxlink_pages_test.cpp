// SPDX-License-Identifier: Apache-2.0
// The module and counters pages of mlxlink, alone and beside what ethtool tells.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/collectors/evidence/host_of.h"

namespace roceready::evidence {
namespace {

const std::string kLink = "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n";
const std::string kMlxlink =
    "\nOperational Info\n----------------\nState                              : Active\n"
    "Physical state                     : LinkUp\nSpeed                              : 10G\n";
const std::string kMlxlinkModule =
    "\nModule Info\n-----------\n"
    "Temperature [C]                    : 54 [-5..75]\n"
    "Voltage [mV]                       : 3261.2 [2970..3630]\n"
    "Bias Current [mA]                  : 8.380,8.380,8.380,8.380 [2..15]\n"
    "Rx Power Current [dBm]             : 1.886,-12.5,-40,N/A [-10.41..6]\n"
    "Tx Power Current [dBm]             : 0,1.427,1.559,1.761 [-8.508..5]\n"
    "Identifier                         : OSFP\n"
    "Cable Type                         : Optical Module (separated)\n"
    "Vendor Name                        : CLT\n"
    "Digital Diagnostic Monitoring      : Yes\n"
    "Module State                       : Ready state\n";
const std::string kMlxlinkCounters =
    "\nPhysical Counters and BER Info\n------------------------------\n"
    "Time Since Last Clear [Min]        : 120.5\n"
    "Effective Physical Errors          : 42\n"
    "Effective Physical BER             : 1E-12\n"
    "Raw Physical Errors Per Lane       : 3946476397,5120336064,7692183445,3026261414\n"
    "Link Down Counter                  : 3\n"
    "Link Error Recovery Counter        : N/A\n"
    "Raw Physical BER                   : 5E-8\n";

/// eth0 as mlxlink shows it on a host where `before` was typed.
Netdev netdev_by_mlxlink(const std::string& pages, const std::string& before = "") {
  const HostEvidence host = host_of("[root@n1 ~]# rdma link\n" + kLink + before +
                                    "[root@n1 ~]# mlxlink -d mlx5_0 -m -c\n" + kMlxlink + pages);
  const Netdev* found = host.snapshots.back().netdev("eth0");
  EXPECT_NE(found, nullptr);
  return found == nullptr ? Netdev() : *found;
}

const ModuleMonitor* monitor_of(const Netdev& netdev, const std::string& what, std::uint32_t lane) {
  if (!netdev.ethtool.module || !netdev.ethtool.module->monitors) return nullptr;
  for (const ModuleMonitor& one : *netdev.ethtool.module->monitors)
    if (one.what == what && one.lane == lane) return &one;
  return nullptr;
}

TEST(Mlxlink, gives_what_the_module_measures_with_its_limits) {
  const Netdev eth0 = netdev_by_mlxlink(kMlxlinkModule);
  ASSERT_TRUE(eth0.ethtool.module);
  EXPECT_EQ(eth0.ethtool.module->form, "OSFP");
  EXPECT_EQ(eth0.ethtool.module->fault.absent().why, Why::NotPresent);
  EXPECT_EQ(eth0.ethtool.module->copper_length_metres.absent().why, Why::NotPresent);
  const ModuleMonitor* heat = monitor_of(eth0, "temperature", 0);
  ASSERT_NE(heat, nullptr);
  EXPECT_EQ(heat->value, 54);
  EXPECT_EQ(heat->low_warning, -5);
  EXPECT_EQ(heat->high_warning, 75);
  EXPECT_GT(heat->high_alarm, 1e300) << "mlxlink prints one pair of limits";
  ASSERT_NE(monitor_of(eth0, "supply voltage", 0), nullptr);
  EXPECT_NEAR(monitor_of(eth0, "supply voltage", 0)->value, 3.2612, 1e-9);
  ASSERT_NE(monitor_of(eth0, "transmit power", 1), nullptr);
  EXPECT_NEAR(monitor_of(eth0, "transmit power", 1)->value, 1e-3, 1e-12) << "0 dBm";
  ASSERT_NE(monitor_of(eth0, "receive power", 2), nullptr);
  EXPECT_LT(monitor_of(eth0, "receive power", 2)->value, monitor_of(eth0, "receive power", 2)->low_warning);
  ASSERT_NE(monitor_of(eth0, "receive power", 3), nullptr);
  EXPECT_EQ(monitor_of(eth0, "receive power", 3)->value, 1e-7) << "dark";
  EXPECT_EQ(monitor_of(eth0, "receive power", 4), nullptr) << "N/A is no reading";
}

TEST(Mlxlink, of_a_copper_cable_measures_nothing) {
  const Netdev eth0 = netdev_by_mlxlink(
      "\nModule Info\n-----------\n"
      "Temperature [C]                    : 0 [0..0]\n"
      "Voltage [mV]                       : N/A\n"
      "Identifier                         : QSFP28\n"
      "Cable Technology                   : Copper cable, passive, unequalized\n"
      "Cable Type                         : Passive copper cable\n"
      "Transfer Distance [m]              : 3\n"
      "Module State                       : N/A\n");
  ASSERT_TRUE(eth0.ethtool.module);
  EXPECT_EQ(eth0.ethtool.module->copper_length_metres.value_or(0), 3);
  EXPECT_EQ(eth0.ethtool.module->monitors.absent().why, Why::NotPresent);
  EXPECT_FALSE(eth0.ethtool.module->fault);
}

TEST(Mlxlink, leaves_the_module_of_ethtool_which_tells_more) {
  const Netdev eth0 =
      netdev_by_mlxlink(kMlxlinkModule,
                        "[root@n1 ~]# ethtool -m eth0\n\tIdentifier                                : 0x11 (QSFP28)\n"
                        "\tModule temperature                        : 50.00 degrees C / 122.00 degrees F\n"
                        "\tModule temperature high alarm threshold   : 80.00 degrees C / 176.00 degrees F\n"
                        "\tModule temperature low alarm threshold    : -10.00 degrees C / 14.00 degrees F\n"
                        "\tModule temperature high warning threshold : 75.00 degrees C / 167.00 degrees F\n"
                        "\tModule temperature low warning threshold  : -5.00 degrees C / 23.00 degrees F\n");
  const ModuleMonitor* heat = monitor_of(eth0, "temperature", 0);
  ASSERT_NE(heat, nullptr);
  EXPECT_EQ(heat->high_alarm, 80);
  EXPECT_EQ(heat->value, 50);
}

/// A raw statistic; nothing where there is none.
std::optional<std::uint64_t> raw_statistic(const Netdev& netdev, const std::string& name) {
  if (!netdev.ethtool.statistics) return std::nullopt;
  const RawCounters& raw = *netdev.ethtool.statistics;
  for (std::size_t i = 0; i < raw.size(); ++i)
    if ((*raw.names)[i] == name) return raw.values[i];
  return std::nullopt;
}

TEST(Mlxlink, gives_counts_of_the_physical_layer_by_the_driver_s_names) {
  const Netdev eth0 = netdev_by_mlxlink(kMlxlinkCounters);
  EXPECT_EQ(raw_statistic(eth0, "rx_pcs_symbol_err_phy"), 42U);
  EXPECT_EQ(raw_statistic(eth0, "link_down_events_phy"), 3U);
  EXPECT_EQ(raw_statistic(eth0, "rx_err_lane_2_phy"), 7692183445U);
  EXPECT_EQ(raw_statistic(eth0, "mlxlink_since_last_clear_seconds"), 7230U);
  EXPECT_FALSE(raw_statistic(eth0, "mlxlink_link_error_recovery")) << "N/A is no count";
  ASSERT_NE(eth0.counters.find(CounterId::LinkDownEvents), nullptr);
  EXPECT_EQ(eth0.counters.find(CounterId::LinkDownEvents)->raw, 3U);
}

TEST(Mlxlink, leaves_the_counts_of_ethtool) {
  const Netdev eth0 = netdev_by_mlxlink(
      kMlxlinkCounters, "[root@n1 ~]# ethtool -S eth0\nNIC statistics:\n     link_down_events_phy: 1\n");
  EXPECT_EQ(raw_statistic(eth0, "link_down_events_phy"), 1U);
  EXPECT_EQ(raw_statistic(eth0, "rx_pcs_symbol_err_phy"), 42U);
}

}  // namespace
}  // namespace roceready::evidence

// SPDX-License-Identifier: Apache-2.0
#include "rules/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "rules/engine.h"

namespace roceready::rules {
namespace {

constexpr double kDay = 86400;

struct Node {
  double second = 1000;
  std::string boot = "one";
  std::uint32_t pfc = 8;
  std::string trust = "dscp";
  std::uint32_t mtu = 9000;
  bool faulty = false, pfc_readable = true;

  Report report(double step = 1) {
    second += step;
    Report out;
    const auto ns = static_cast<std::int64_t>(second * 1e9);
    out.at = {ns, 1'700'000'000'000'000'000 + ns};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->node.boot_id_hash = boot;
    RdmaPort port;
    port.device = "mlx5_0";
    port.key = "0000:3b:00.0/1";
    port.in_scope = true;
    port.members = {"eth0"};
    snapshot->ports.push_back(port);
    Netdev eth;
    eth.link.name = "eth0";
    eth.link.mtu = mtu;
    PfcFacts facts;
    facts.enabled = pfc;
    if (pfc_readable) eth.dcb.pfc = facts;
    eth.dcb.trust = trust;
    snapshot->netdevs.push_back(eth);
    out.snapshot = snapshot;
    if (faulty) {
      Finding one;
      one.rule = rule_named("pfc-disabled");
      one.subject.device = "mlx5_0";
      one.subject.port = 1;
      one.severity = Severity::Critical;
      out.findings.push_back(one);
    }
    return out;
  }
};

TEST(SettingsOf, a_node_are_accepted_at_first_sight) {
  Node node;
  Settings settings;
  EXPECT_TRUE(settings.take(node.report(), kDay).empty());
  EXPECT_TRUE(settings.drift().empty());
}

TEST(SettingsOf, a_node_that_change_are_told_with_from_and_to) {
  Node node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  node.pfc = 0;
  node.mtu = 1500;
  const auto changes = settings.take(node.report(), kDay);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].what, "mtu");
  EXPECT_EQ(changes[0].what, "pfc");
  EXPECT_EQ(changes[0].from, "3");
  EXPECT_EQ(changes[0].to, "none");
  ASSERT_EQ(settings.drift().size(), 1U) << "the MTU has rules of its own";
  EXPECT_EQ(settings.drift()[0].accepted, "3");
  EXPECT_FALSE(settings.drift()[0].after_reboot);
  node.pfc = 8;
  static_cast<void>(settings.take(node.report(), kDay));
  EXPECT_TRUE(settings.drift().empty()) << "set back";
}

TEST(SettingsOf, a_node_that_cannot_be_read_have_not_changed) {
  Node node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  node.pfc_readable = false;
  EXPECT_TRUE(settings.take(node.report(), kDay).empty());
  node.pfc_readable = true;
  EXPECT_TRUE(settings.take(node.report(), kDay).empty());
}

TEST(SettingsOf, a_node_that_stand_for_long_are_accepted) {
  Node node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  node.trust = "pcp";
  static_cast<void>(settings.take(node.report(), kDay));
  static_cast<void>(settings.take(node.report(kDay - 10), kDay));
  EXPECT_EQ(settings.drift().size(), 1U);
  static_cast<void>(settings.take(node.report(20), kDay));
  EXPECT_TRUE(settings.drift().empty());
}

TEST(SettingsOf, a_node_that_cure_it_are_accepted_at_once) {
  Node node;
  node.pfc = 0;
  node.faulty = true;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  node.pfc = 8;
  static_cast<void>(settings.take(node.report(), kDay));
  EXPECT_EQ(settings.drift().size(), 1U) << "still faulty: something else is wrong, or this did not help";
  node.faulty = false;
  static_cast<void>(settings.take(node.report(), kDay));
  EXPECT_TRUE(settings.drift().empty());
}

TEST(SettingsOf, a_node_that_a_reboot_lost_say_so_over_a_restart) {
  Node node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  Settings next;
  ASSERT_TRUE(next.recall(settings.text()));
  node.boot = "two";
  node.second = 20;
  node.pfc = 0;
  ASSERT_EQ(next.take(node.report(), kDay).size(), 1U);
  ASSERT_EQ(next.drift().size(), 1U);
  EXPECT_TRUE(next.drift()[0].after_reboot);
  EXPECT_TRUE(next.take(node.report(), kDay).empty()) << "told once";
  EXPECT_TRUE(next.drift()[0].after_reboot);
}

/// Two ports of two devices, on eth0 and eth1, with everything that somebody may set.
struct TwoPorts {
  std::vector<RdmaPort> ports;
  std::vector<Netdev> netdevs;
  std::vector<std::string> faulty;  ///< devices
  double second = 1000;

  TwoPorts() {
    for (const char* number : {"0", "1"}) {
      RdmaPort port;
      port.device = std::string("mlx5_") + number;
      port.key = std::string("0000:3b:00.") + number + "/1";
      port.in_scope = true;
      port.netdev = std::string("eth") + number;
      port.members = {*port.netdev};
      port.firmware = std::string("28.39.1002");
      port.gids = std::vector<GidEntry>{{0, "fe80::1", "RoCE v2", *port.netdev},
                                        {2, "::ffff:10.0.0.1", "RoCE v1", *port.netdev},
                                        {3, "::ffff:10.0.0.1", "RoCE v2", *port.netdev}};
      port.cma_default_tos = 106U;
      port.forced_traffic_class = 106U;
      port.vendor_files["cc_params/np_cnp_dscp"] = std::string("48\n");
      Netdev eth;
      eth.link.name = *port.netdev;
      eth.link.mtu = 9000U;
      PfcFacts pfc;
      pfc.enabled = 8;
      eth.dcb.pfc = pfc;
      eth.dcb.trust = std::string("dscp");
      eth.dcb.dscp_to_priority = std::vector<std::uint32_t>{0, 0, 3, 3};
      EtsFacts ets;
      ets.bandwidth_percent = {50, 50};
      eth.dcb.ets = ets;
      BufferFacts buffers;
      buffers.priority_to_buffer = {0, 0, 0, 1};
      eth.dcb.buffers = buffers;
      eth.vendor_files["ecn/roce_np/enable/3"] = std::string("1");
      LinkModes modes;
      modes.speed_bits_per_second = std::uint64_t{400'000'000'000};
      eth.ethtool.link_modes = modes;
      FecFacts fec;
      fec.active = std::string("RS");
      eth.ethtool.fec = fec;
      ports.push_back(port);
      netdevs.push_back(eth);
    }
  }
  Report report(double step = 1) {
    second += step;
    Report out;
    const auto ns = static_cast<std::int64_t>(second * 1e9);
    out.at = {ns, 1'700'000'000'000'000'000 + ns};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->node.boot_id_hash = std::string("one");
    snapshot->ports = ports;
    snapshot->netdevs = netdevs;
    out.snapshot = snapshot;
    for (const std::string& device : faulty) {
      Finding one;
      one.rule = rule_named("pfc-disabled");
      one.subject.device = device;
      one.subject.port = 1;
      one.severity = Severity::Critical;
      out.findings.push_back(one);
    }
    return out;
  }
};

struct Kind {
  const char* what;
  const char* from;
  const char* to;
  bool qos;  ///< drift until it stands; else accepted at once, because its rules judge it
  std::function<void(RdmaPort&, Netdev&)> change;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"pfc", "3", "3,4", true, [](RdmaPort&, Netdev& eth) { eth.dcb.pfc->enabled = 0x18; }},
      {"trust", "dscp", "pcp", true, [](RdmaPort&, Netdev& eth) { eth.dcb.trust = std::string("pcp"); }},
      {"dscp_to_priority", "0-1:0 2-3:3", "0-2:0 3:3", true,
       [](RdmaPort&, Netdev& eth) { (*eth.dcb.dscp_to_priority)[2] = 0; }},
      {"ets", "classes 0,0,0,0,0,0,0,0 algorithms 0,0,0,0,0,0,0,0 shares 50,50,0,0,0,0,0,0",
       "classes 0,0,0,1,0,0,0,0 algorithms 0,0,0,0,0,0,0,0 shares 50,50,0,0,0,0,0,0", true,
       [](RdmaPort&, Netdev& eth) { eth.dcb.ets->priority_to_class[3] = 1; }},
      {"buffers", "of priorities 0,0,0,1,0,0,0,0 bytes 0,0,0,0,0,0,0,0",
       "of priorities 0,0,0,0,0,0,0,0 bytes 0,0,0,0,0,0,0,0", true,
       [](RdmaPort&, Netdev& eth) { eth.dcb.buffers->priority_to_buffer[3] = 0; }},
      {"tos", "0x6a", "0x00", true, [](RdmaPort& port, Netdev&) { port.cma_default_tos = 0U; }},
      {"traffic_class", "0x6a", "0x60", true, [](RdmaPort& port, Netdev&) { port.forced_traffic_class = 96U; }},
      {"congestion control cc_params/np_cnp_dscp", "48", "0", true,
       [](RdmaPort& port, Netdev&) { port.vendor_files["cc_params/np_cnp_dscp"] = std::string("0\n"); }},
      {"congestion control ecn/roce_np/enable/3", "1", "0", true,
       [](RdmaPort&, Netdev& eth) { eth.vendor_files["ecn/roce_np/enable/3"] = std::string("0"); }},
      {"mtu", "9000", "1500", false, [](RdmaPort&, Netdev& eth) { eth.link.mtu = 1500U; }},
      {"gid_index", "3", "5", false, [](RdmaPort& port, Netdev&) { port.gids->back().index = 5; }},
      {"firmware", "28.39.1002", "28.42.1000", false,
       [](RdmaPort& port, Netdev&) { port.firmware = std::string("28.42.1000"); }},
      {"speed", "400 Gbit/s", "100 Gbit/s", false,
       [](RdmaPort&, Netdev& eth) { eth.ethtool.link_modes->speed_bits_per_second = std::uint64_t{100'000'000'000}; }},
      {"fec", "RS", "Off", false, [](RdmaPort&, Netdev& eth) { eth.ethtool.fec->active = std::string("Off"); }},
  };
  return all;
}

TEST(SettingsOf, each_kind_that_change_are_told_of_the_port_that_it_was) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(std::string(kind.what) + " to " + kind.to);
    TwoPorts node;
    Settings settings;
    ASSERT_TRUE(settings.take(node.report(), kDay).empty());
    kind.change(node.ports[1], node.netdevs[1]);
    const auto changes = settings.take(node.report(), kDay);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].what, kind.what);
    EXPECT_EQ(changes[0].from, kind.from);
    EXPECT_EQ(changes[0].to, kind.to);
    EXPECT_EQ(changes[0].subject.device, "mlx5_1");
    EXPECT_EQ(changes[0].subject.netdev, "eth1");
    ASSERT_EQ(settings.drift().size(), kind.qos ? 1U : 0U);
    if (kind.qos) {
      EXPECT_EQ(settings.drift()[0].subject.device, "mlx5_1");
      EXPECT_EQ(settings.drift()[0].accepted, kind.from);
    }
    EXPECT_TRUE(settings.take(node.report(), kDay).empty()) << "told once";
  }
}

TEST(SettingsOf, each_kind_that_cannot_be_read_have_not_changed) {
  TwoPorts node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  const TwoPorts whole = node;
  const Absent denied{Why::Denied, "refused"};
  RdmaPort& port = node.ports[0];
  port.firmware = denied;
  port.gids = denied;
  port.cma_default_tos = denied;
  port.forced_traffic_class = denied;
  port.vendor_files["cc_params/np_cnp_dscp"] = denied;
  Netdev& eth = node.netdevs[0];
  eth.dcb = {};
  eth.link.mtu = denied;
  eth.ethtool = {};
  eth.vendor_files.clear();
  EXPECT_TRUE(settings.take(node.report(), kDay).empty());
  node.ports = whole.ports;
  node.netdevs = whole.netdevs;
  EXPECT_TRUE(settings.take(node.report(), kDay).empty()) << "and back";
}

TEST(SettingsOf, one_port_that_are_set_back_leave_the_drift_of_another) {
  for (const Kind& kind : kinds()) {
    if (!kind.qos) continue;
    SCOPED_TRACE(kind.what);
    TwoPorts node;
    Settings settings;
    static_cast<void>(settings.take(node.report(), kDay));
    const TwoPorts before = node;
    for (std::size_t i = 0; i < 2; ++i) kind.change(node.ports[i], node.netdevs[i]);
    EXPECT_EQ(settings.take(node.report(), kDay).size(), 2U);
    ASSERT_EQ(settings.drift().size(), 2U);
    node.ports[0] = before.ports[0];
    node.netdevs[0] = before.netdevs[0];
    const auto changes = settings.take(node.report(), kDay);
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].subject.device, "mlx5_0");
    ASSERT_EQ(settings.drift().size(), 1U);
    EXPECT_EQ(settings.drift()[0].subject.device, "mlx5_1");
  }
}

TEST(SettingsOf, one_port_that_cure_it_are_not_accepted_for_another) {
  TwoPorts node;
  node.netdevs[0].dcb.pfc->enabled = 0;
  node.netdevs[1].dcb.pfc->enabled = 0;
  node.faulty = {"mlx5_0", "mlx5_1"};
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  for (Netdev& eth : node.netdevs) eth.dcb.pfc->enabled = 8;
  node.faulty = {"mlx5_1"};
  EXPECT_EQ(settings.take(node.report(), kDay).size(), 2U);
  ASSERT_EQ(settings.drift().size(), 1U) << "mlx5_0 is cured, mlx5_1 is not";
  EXPECT_EQ(settings.drift()[0].subject.device, "mlx5_1");
}

TEST(SettingsOf, a_port_that_goes_leave_those_of_another) {
  TwoPorts node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  const TwoPorts before = node;
  node.netdevs[1].dcb.trust = std::string("pcp");
  static_cast<void>(settings.take(node.report(), kDay));
  node.ports.erase(node.ports.begin());
  node.netdevs.erase(node.netdevs.begin());
  EXPECT_TRUE(settings.take(node.report(), kDay).empty());
  ASSERT_EQ(settings.drift().size(), 1U);
  EXPECT_EQ(settings.drift()[0].subject.device, "mlx5_1");
}

TEST(SettingsOf, a_node_that_make_no_sense_are_refused_as_a_whole) {
  Node node;
  Settings settings;
  static_cast<void>(settings.take(node.report(), kDay));
  const std::string text = settings.text();
  std::string bad = text;
  bad.replace(bad.find("\"qos\":true"), 10, "\"qos\":7   ");
  EXPECT_FALSE(settings.recall(bad));
  EXPECT_FALSE(settings.recall("{}"));
  EXPECT_EQ(settings.text(), text);
}

}  // namespace
}  // namespace roceready::rules

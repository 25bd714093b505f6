// SPDX-License-Identifier: Apache-2.0
#include "rules/settings.h"

#include <gtest/gtest.h>

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

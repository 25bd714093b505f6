// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/own_digest.h"

#include <memory>

#include <gtest/gtest.h>

#include "core/snapshot/probe_json.h"
#include "rules/engine.h"
#include "rules/rule.h"

namespace roceready::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

const rules::Rule& rule_named(const std::string& id) {
  for (const rules::Rule* rule : rules::catalogue())
    if (rule->id == id) return *rule;
  ADD_FAILURE() << id;
  return *rules::catalogue()[0];
}

std::string text(const NodeDigest& digest) {
  return node_digest_json(digest);
}

/// One port in scope, at 100 Gbit/s.
struct Node {
  rules::Report report;
  Node() {
    Snapshot snapshot;
    Netdev& netdev = snapshot.netdevs.emplace_back();
    netdev.link.name = "eth0";
    netdev.link.carrier_down_count = 4U;
    LinkModes modes;
    modes.speed_bits_per_second = std::uint64_t{100'000'000'000};
    netdev.ethtool.link_modes = modes;
    RdmaPort& port = snapshot.ports.emplace_back();
    port.device = "mlx5_0";
    port.port = 1;
    port.members = {"eth0"};
    port.in_scope = true;
    report.snapshot = std::make_shared<const Snapshot>(snapshot);
    rules::PortReport& judged = report.ports.emplace_back();
    judged.device = "mlx5_0";
    judged.port = 1;
  }
  rules::Finding& find(const std::string& rule, rules::Severity severity) {
    rules::Finding& finding = report.findings.emplace_back();
    finding.rule = &rule_named(rule);
    finding.severity = severity;
    finding.subject.device = "mlx5_0";
    finding.subject.port = 1;
    return finding;
  }
  void rate(const std::string& name, double value) { report.ports[0].rates[name] = value; }
};

TEST(OwnDigest, tells_active_findings_of_the_port_that_are_no_mere_news_and_not_about_the_fabric) {
  Node node;
  node.find("link-flap", rules::Severity::Warning);
  node.find("pfc-disabled", rules::Severity::Critical);
  node.find("ecn-congested", rules::Severity::Info);
  node.find("fabric-mtu-mismatch", rules::Severity::Warning);
  node.find("pcie-mrrs-low", rules::Severity::Warning).subject.device = "mlx5_1";
  node.find("probe-loss", rules::Severity::Critical).state = rules::FindingState::Recovering;
  OwnDigest own;
  const NodeDigest told = own.take(node.report, kSecond);
  ASSERT_EQ(told.ports.size(), 1U);
  ASSERT_TRUE(told.ports[0].findings);
  EXPECT_EQ(*told.ports[0].findings,
            (std::map<std::string, std::string>{{"link-flap", "warning"}, {"pfc-disabled", "critical"}}));
  EXPECT_EQ(told.ports[0].carrier_losses, Reading<std::uint64_t>(4U));
}

TEST(OwnDigest, tells_shares_as_the_mean_since_it_told_them_in_steps) {
  Node node;
  OwnDigest own;
  (void)own.take(node.report, 0);
  node.rate("rx_pause_share_priority_3", 0.001);
  node.rate("rx_pause_share_priority_4", 0.4);
  node.rate("tx_pause_share_priority_3", 0.0);
  node.rate("rx_bits_per_second", 97e9);
  (void)own.take(node.report, 10 * kSecond);
  node.rate("rx_pause_share_priority_4", 0.1);
  const PortDigest port = own.take(node.report, 31 * kSecond).ports.at(0);
  EXPECT_EQ(port.rx_pause_share, Reading<double>(0.2)) << "(0.4 + 0.1) / 2, of the worse priority";
  EXPECT_EQ(port.tx_pause_share, Reading<double>(0.0));
  EXPECT_EQ(port.rx_line_share, Reading<double>(0.95));
}

TEST(OwnDigest, changes_what_moves_twice_a_minute_at_most_and_settings_at_once) {
  Node node;
  node.rate("rx_bits_per_second", 1e9);
  OwnDigest own;
  const NodeDigest first = own.take(node.report, 0);
  node.rate("rx_bits_per_second", 99e9);
  node.find("link-flap", rules::Severity::Warning);
  for (int second = 1; second < 30; ++second) EXPECT_EQ(text(own.take(node.report, second * kSecond)), text(first));
  EXPECT_NE(text(own.take(node.report, 30 * kSecond)), text(first));
  Snapshot changed = *node.report.snapshot;
  changed.netdevs[0].link.carrier_down_count = 5U;
  node.report.snapshot = std::make_shared<const Snapshot>(changed);
  EXPECT_EQ(own.take(node.report, 31 * kSecond).ports.at(0).carrier_losses, Reading<std::uint64_t>(5U));
}

TEST(OwnDigest, says_nothing_of_what_it_does_not_know) {
  Node node;
  OwnDigest own;
  const PortDigest port = own.take(node.report, 0).ports.at(0);
  EXPECT_FALSE(port.rx_pause_share);
  EXPECT_FALSE(port.rx_line_share);
  EXPECT_TRUE(port.findings) << "none is known to be there";
}

TEST(StepBelow, never_tells_more_than_there_is) {
  EXPECT_EQ(step_below(0), 0);
  EXPECT_EQ(step_below(0.0009), 0);
  EXPECT_EQ(step_below(0.01), 0.01);
  EXPECT_EQ(step_below(0.0499), 0.01);
  EXPECT_EQ(step_below(1), 0.95);
}

}  // namespace
}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "rules/waivers.h"

#include <algorithm>

#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

constexpr std::int64_t kDay = 86400LL * 1'000'000'000;

/// A NIC whose PCIe link is too slow for its port, and too narrow.
Scene broken() {
  Scene scene;
  scene.nic().current_speed = 2'500'000'000ULL;
  scene.nic().current_width = 8U;
  return scene;
}

Report judged(Scene scene, std::vector<Waiver> waivers, std::vector<Attestation> attestations = {}) {
  JudgeOptions options;
  options.profile = "nvidia-lossless";
  options.waivers = std::move(waivers);
  options.attestations = std::move(attestations);
  History past(needed_signals());
  past.add(std::make_shared<const Snapshot>(scene.now()));
  return *Engine(options).judge(past);
}

std::int64_t in_days(double days) {
  return midpoint(Scene().now()).wall_ns + static_cast<std::int64_t>(days * static_cast<double>(kDay));
}

const PortReport& port_of(const Report& report) {
  return report.ports.front();
}

TEST(Waivers, a_waived_critical_costs_nothing_decides_nothing_and_is_listed) {
  const Report all = judged(broken(), {});
  EXPECT_EQ(all.verdict, Verdict::NotReady);
  EXPECT_FALSE(all.score_without_waivers.has_value());
  const Report report = judged(broken(), {{"pcie-speed-degraded@mlx5_0/1", "ticket 42", in_days(1)},
                                          {"pcie-width-degraded", "riser is ordered", in_days(1)},
                                          {"pcie-bandwidth-insufficient", "the same", in_days(1)}});
  EXPECT_EQ(report.verdict, Verdict::Ready) << report.summary;
  EXPECT_EQ(report.score, 100);
  EXPECT_EQ(report.score_without_waivers, all.score);
  EXPECT_EQ(port_of(report).score_without_waivers, port_of(all).score);
  ASSERT_EQ(report.waived.size(), 3U);
  ASSERT_EQ(report.waived_findings.size(), 3U);
  EXPECT_EQ(report.waived[0].rule, report.waived_findings[0].finding.rule->id);
  EXPECT_EQ(report.waived[0].why, "waived");
  EXPECT_NE(report.waived[0].detail.find("Waived until 2026-"), std::string::npos) << report.waived[0].detail;
  EXPECT_NE((report.waived[0].detail + report.waived[1].detail + report.waived[2].detail).find("ticket 42"),
            std::string::npos);
}

TEST(Waivers, one_of_two_leaves_the_other_as_it_was) {
  const Report report = judged(broken(), {{"pcie-width-degraded", "riser is ordered", in_days(1)}});
  EXPECT_EQ(report.verdict, Verdict::NotReady);
  EXPECT_EQ(report.score, 49);
  EXPECT_LE(report.score_without_waivers, report.score);
}

TEST(Waivers, an_ended_one_does_not_count_and_is_said) {
  const Report report = judged(broken(), {{"pcie-speed-degraded", "ticket 42", in_days(-1)}});
  EXPECT_NE(report.finding("pcie-speed-degraded@mlx5_0/1"), nullptr);
  EXPECT_FALSE(report.score_without_waivers.has_value());
  ASSERT_EQ(report.waived.size(), 1U);
  EXPECT_TRUE(report.waived_findings.empty());
  EXPECT_EQ(report.waived[0].why, "expired");
  EXPECT_NE(report.waived[0].detail.find("ended on"), std::string::npos);
  EXPECT_FALSE(report.waived[0].settle_with.empty());
}

TEST(Waivers, of_another_port_or_of_what_does_not_fail_change_nothing) {
  const Report report =
      judged(broken(), {{"pcie-speed-degraded@mlx5_9/1", "-", in_days(1)}, {"link-down", "-", in_days(1)}});
  EXPECT_EQ(report.findings.size(), judged(broken(), {}).findings.size());
  EXPECT_TRUE(report.waived.empty());
}

TEST(Attestations, stand_in_for_a_mandatory_check_that_cannot_be_read) {
  Scene denied_pfc;
  denied_pfc.eth0().dcb.pfc = denied();
  EXPECT_EQ(judged(denied_pfc, {}).verdict, Verdict::Unknown);
  const Report report = judged(denied_pfc, {},
                               {{"pfc-disabled", "eth0", "jane", "mlnx_qos", in_days(1)},
                                {"pfc-wrong-priority", "", "jane", "mlnx_qos", in_days(1)}});
  EXPECT_EQ(report.verdict, Verdict::Ready) << report.summary;
  ASSERT_FALSE(report.attested.empty());
  EXPECT_EQ(report.attested[0].rule, "pfc-disabled");
  EXPECT_EQ(report.attested[0].by, "jane");
  EXPECT_DOUBLE_EQ(report.attested[0].confidence, 0.7);
  EXPECT_FALSE(report.attested[0].detail.empty());
  EXPECT_GT(report.coverage.judged, judged(denied_pfc, {}).coverage.judged);
}

TEST(LongHaul, makes_headroom_that_cannot_be_read_a_blind_spot_that_can_be_attested) {
  Scene scene;
  scene.eth0().dcb.buffers->size_bytes[1] = 400'000;
  JudgeOptions options;
  options.profile = "nvidia-lossless";
  const auto verdict = [&] {
    History past(needed_signals());
    past.add(std::make_shared<const Snapshot>(scene.now()));
    return Engine(options).judge(past)->verdict;
  };
  scene.eth0().dcb.buffers = denied();
  EXPECT_EQ(verdict(), Verdict::Ready) << "within a hall it only costs coverage";
  options.profile_changes.modifiers = {"long-haul"};
  EXPECT_EQ(verdict(), Verdict::Unknown);
  options.attestations = {{"qos-headroom-small", "eth0", "jane", "mlnx_qos -i eth0", in_days(1)}};
  EXPECT_EQ(verdict(), Verdict::Ready);
  options.attestations.clear();
  scene.eth0().dcb.buffers = not_supported();
  EXPECT_EQ(verdict(), Verdict::Ready) << "what a driver can never show keeps no NIC from being ready";
}

TEST(Attestations, never_stand_against_what_can_be_read) {
  Scene lost;
  lost.eth0().dcb.pfc->enabled = 0;
  const Report report = judged(lost, {}, {{"pfc-disabled", "", "jane", "mlnx_qos", in_days(1)}});
  EXPECT_NE(report.finding("pfc-disabled@mlx5_0/1"), nullptr);
  EXPECT_TRUE(report.attested.empty());
}

TEST(Attestations, end_and_belong_to_their_port) {
  Scene scene;
  scene.eth0().dcb.pfc = denied();
  const Report ended = judged(scene, {}, {{"pfc-disabled", "", "jane", "mlnx_qos", in_days(-1)}});
  EXPECT_TRUE(ended.attested.empty());
  EXPECT_EQ(ended.verdict, Verdict::Unknown);
  const auto gap = std::find_if(ended.unknown.begin(), ended.unknown.end(),
                                [](const Gap& one) { return one.rule == "pfc-disabled"; });
  ASSERT_NE(gap, ended.unknown.end());
  EXPECT_NE(gap->detail.find("what jane attested ended on"), std::string::npos) << gap->detail;
  EXPECT_TRUE(judged(scene, {}, {{"pfc-disabled", "mlx5_9", "jane", "-", in_days(1)}}).attested.empty());
  for (const char* port : {"mlx5_0", "mlx5_0/1", "eth0", "0000:3b:00.0"})
    EXPECT_FALSE(judged(scene, {}, {{"pfc-disabled", port, "jane", "-", in_days(1)}}).attested.empty()) << port;
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

/// What the report says of rules that are planned.
std::vector<Gap> planned(const std::string& profile) {
  Scene scene;
  scene.profile(profile).after(1);
  std::vector<Gap> out;
  const ReportPtr report = scene.report();
  for (const Gap& gap : report->not_looked_at)
    if (gap.why == "planned") out.push_back(gap);
  return out;
}

TEST(PlannedRules, are_named_by_the_source_that_is_not_asked) {
  const std::vector<Gap> gaps = planned("nvidia-lossless");
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_NE(gaps[0].detail.find("lldp-pfc-mismatch"), std::string::npos) << gaps[0].detail;
  EXPECT_NE(gaps[1].detail.find("ecn-cnp-lost, fabric-rail-miswire"), std::string::npos) << gaps[1].detail;
  EXPECT_NE(gaps[0].detail.find("lldp-mtu-mismatch"), std::string::npos) << "probes only help it: " << gaps[0].detail;
  EXPECT_NE(gaps[1].detail.find("fabric-rail-miswire"), std::string::npos) << gaps[1].detail;
  for (const Rule* rule : catalogue()) {
    if (rule->status != Status::Planned || (rule->modes & kLossless) == 0) continue;
    std::size_t times = 0;
    for (const Gap& gap : gaps)
      times += (gap.detail + ",").find(std::string(" ") + rule->id + ",") != std::string::npos ? 1U : 0U;
    EXPECT_EQ(times, 1U) << rule->id;
  }
}

TEST(Macsec, names_the_one_rule_that_would_look_at_it) {
  JudgeOptions options;
  options.profile = "nvidia-lossless";
  options.profile_changes.modifiers = {"macsec"};
  History past(needed_signals());
  past.add(std::make_shared<const Snapshot>(Scene().now()));
  const ReportPtr report = Engine(options).judge(past);
  std::vector<Gap> about;
  for (const Gap& gap : report->not_looked_at)
    if (gap.detail.find("macsec") != std::string::npos) about.push_back(gap);
  ASSERT_EQ(about.size(), 1U);
  EXPECT_EQ(about[0].rule, "lldp-pfc-cap");
  EXPECT_EQ(about[0].why, "planned");
  EXPECT_FALSE(about[0].settle_with.empty());
  EXPECT_EQ(report->verdict, Verdict::Ready) << "it changes nothing else: " << report->summary;
  EXPECT_TRUE(report->profile.changed.empty());
}

TEST(PlannedRules, are_not_named_where_they_would_not_apply) {
  for (const Gap& gap : planned("lossy-ecn")) EXPECT_EQ(gap.detail.find("lldp-pfc-mismatch"), std::string::npos);
}

/// The one entry about probes that are off, if there is one.
std::vector<Gap> unprobed(Scene& scene) {
  std::vector<Gap> out;
  const ReportPtr report = scene.after(1).after(1).report();
  for (const Gap& gap : report->not_looked_at)
    if (gap.detail.find("probe-loss") != std::string::npos) out.push_back(gap);
  for (const Gap& gap : report->unknown) ADD_FAILURE() << gap.rule << ": " << gap.detail;
  EXPECT_DOUBLE_EQ(report->coverage.ratio, 1.0);
  EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
  return out;
}

TEST(ProbesThatAreOff, are_named_once_with_the_rules_that_rest_on_them_and_with_the_option) {
  Scene off;
  off.now().probes = not_present();
  const std::vector<Gap> gaps = unprobed(off);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].why, "not_configured");
  EXPECT_NE(gaps[0].settle_with.find("probes.peers"), std::string::npos);
  for (const char* rule : {"probe-unreachable", "fabric-config-mismatch", "fabric-speed-outlier"})
    EXPECT_NE(gaps[0].detail.find(rule), std::string::npos) << rule;
  EXPECT_EQ(gaps[0].detail.find("probe-bandwidth-low"), std::string::npos) << "on demand, and named as such";
}

/// The entries about measurements on demand.
std::vector<Gap> unmeasured(const Report& report) {
  std::vector<Gap> out;
  for (const Gap& gap : report.not_looked_at)
    if (gap.why == "on_demand") out.push_back(gap);
  return out;
}

TEST(MeasurementsOnDemand, that_nobody_made_are_named_once_and_change_nothing_with_probes_on_off_or_unreadable) {
  for (const Reading<ProbeFacts>& facts : {Reading<ProbeFacts>(not_present()), Reading<ProbeFacts>(ProbeFacts{}),
                                           Reading<ProbeFacts>(Absent{Why::Denied, "EPERM"})}) {
    Scene scene;
    scene.now().probes = facts;
    const ReportPtr report = scene.after(1).after(1).report();
    const std::vector<Gap> gaps = unmeasured(*report);
    ASSERT_EQ(gaps.size(), 1U);
    EXPECT_NE(gaps[0].detail.find("probe-bandwidth-low, probe-loopback-low"), std::string::npos) << gaps[0].detail;
    EXPECT_NE(gaps[0].settle_with.find("roceready probe --kind bandwidth PEER"), std::string::npos);
    EXPECT_NE(report->verdict, Verdict::NotReady);
    for (const Gap& gap : report->unknown) EXPECT_EQ(gap.rule.find("-low"), std::string::npos) << gap.rule;
    if (!facts && facts.absent().why == Why::NotPresent) {
      EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
    }
  }
}

TEST(MeasurementsOnDemand, of_one_kind_leave_the_other_one_to_be_measured) {
  Scene scene;
  BandwidthRun run;
  run.device = "mlx5_0";
  run.loopback = true;
  run.seconds = 2;
  run.bytes = 25'000'000'000;
  run.bits_per_second = 1e11;
  probes(scene).bandwidth = {run};
  const ReportPtr report = scene.after(1).after(1).report();
  const std::vector<Gap> gaps = unmeasured(*report);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].rule, "probe-bandwidth-low");
  EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
}

TEST(ProbesThatAreOff, in_an_old_recording_were_not_recorded) {
  Scene old;
  const std::vector<Gap> gaps = unprobed(old);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].why, "not_recorded");
}

TEST(ProbesThatAreOn, leave_a_healthy_node_ready_and_a_bad_peer_does_not_make_it_not_ready) {
  Scene scene;
  add_peers(scene, 4);
  add_digests(scene, 4);
  scene.after(1).after(1);
  EXPECT_EQ(scene.report()->verdict, Verdict::Ready) << scene.report()->summary;
  probes(scene).peers[1].lost_in_row = 20;
  scene.after(1);
  const ReportPtr report = scene.report();
  EXPECT_EQ(report->verdict, Verdict::Degraded) << report->summary;
  EXPECT_NE(report->finding("probe-unreachable@mlx5_0/1#node2:9885"), nullptr);
  for (PeerProbe& peer : probes(scene).peers) peer.lost_in_row = 20;
  scene.after(1);
  EXPECT_EQ(scene.report()->verdict, Verdict::NotReady) << scene.report()->summary;
}

/// The entries about what probes do not tell.
std::vector<Gap> untold(const Report& report, const std::string& word) {
  std::vector<Gap> out;
  for (const Gap& gap : report.not_looked_at)
    if (gap.detail.find(word) != std::string::npos) out.push_back(gap);
  return out;
}

TEST(ProbesThatAreOn, say_of_how_many_peers_nothing_is_judged_and_stay_ready) {
  Scene scene;
  add_peers(scene, 4);
  add_digests(scene, 4);
  scene.after(1).after(1);
  const ReportPtr before = scene.report();
  EXPECT_TRUE(untold(*before, "is not judged").empty());
  probes(scene).peers_left_out = 12;
  scene.after(1);
  const ReportPtr report = scene.report();
  const std::vector<Gap> gaps = untold(*report, "is not judged");
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_NE(gaps[0].detail.find("12 peers"), std::string::npos) << gaps[0].detail;
  EXPECT_NE(gaps[0].settle_with.find("probes.max_peers: 4"), std::string::npos) << gaps[0].settle_with;
  EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
  EXPECT_DOUBLE_EQ(report->coverage.ratio, before->coverage.ratio);
}

TEST(ProbesThatAreOn, name_what_is_wrong_with_the_sources_of_peers_and_judge_those_that_are_known) {
  Scene scene;
  add_peers(scene, 4);
  add_digests(scene, 4);
  scene.after(1).after(1);
  const double coverage = scene.report()->coverage.ratio;
  probes(scene).problems = {"probes.peers_file /etc/peers.json: cannot be read: No such file or directory"};
  scene.after(1);
  ReportPtr report = scene.report();
  const std::vector<Gap> gaps = untold(*report, "/etc/peers.json: cannot be read");
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_NE(gaps[0].settle_with.find("probes.peers_file"), std::string::npos) << gaps[0].settle_with;
  EXPECT_EQ(report->verdict, Verdict::Ready) << report->summary;
  EXPECT_DOUBLE_EQ(report->coverage.ratio, coverage);
  probes(scene).peers[1].lost_in_row = 20;
  scene.after(1);
  report = scene.report();
  EXPECT_NE(report->finding("probe-unreachable@mlx5_0/1#node2:9885"), nullptr);
}

TEST(ProbesThatAreOn, and_unreadable_are_unknown) {
  Scene scene;
  scene.now().probes = Absent{Why::Malformed, "not JSON"};
  scene.after(1).after(1);
  const ReportPtr report = scene.report();
  EXPECT_EQ(report->verdict, Verdict::Unknown) << report->summary;
}

TEST(FindingsAboutPeers, recover_when_the_peer_answers_and_stand_while_nothing_can_be_known) {
  Scene scene;
  scene.daemon();
  add_peers(scene, 4);
  const auto state = [&]() -> std::string {
    const ReportPtr report = scene.report();
    const Finding* finding = report->finding("probe-unreachable@mlx5_0/1#node2:9885");
    if (finding == nullptr) return "none";
    return finding->state == FindingState::Active ? "active" : "recovering";
  };
  probes(scene).peers[1].lost_in_row = 20;
  scene.after(1);
  EXPECT_EQ(state(), "active");
  Scene unreadable = scene;
  probes(scene).peers[1].lost_in_row = 0;
  scene.after(1);
  EXPECT_EQ(state(), "recovering");
  unreadable.now().probes = Absent{Why::Malformed, "not JSON"};
  scene = unreadable;
  scene.after(1);
  EXPECT_EQ(state(), "active");
}

TEST(PlannedRules, do_not_count_in_the_coverage_and_find_nothing) {
  Scene scene;
  scene.after(1).after(1);
  const ReportPtr report = scene.report();
  EXPECT_DOUBLE_EQ(report->coverage.ratio, 1.0);
  for (const Gap& gap : report->not_looked_at) {
    const Rule* rule = rule_named(gap.rule);
    EXPECT_FALSE(rule != nullptr && rule->status == Status::Planned) << gap.rule;
  }
}

}  // namespace
}  // namespace roceready::rules_test

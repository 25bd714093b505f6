// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/bandwidth_runs.h"

namespace roceready::rules_test {
namespace {

Judgement of(double bits_per_second) {
  Scene scene;
  add_run(scene, bits_per_second);
  return scene.ask(kProbeBandwidthLow);
}

/// What is said of a low value after `change`, and that a good one passes all the same.
Judgement low_with(void (*change)(Scene&, BandwidthRun&)) {
  Scene good;
  change(good, add_run(good, 97e9));
  expect_pass(good.ask(kProbeBandwidthLow));
  Scene scene;
  change(scene, add_run(scene, 70e9));
  return scene.ask(kProbeBandwidthLow);
}

TEST(ProbeBandwidthLow, is_judged_where_a_person_measured_alone) {
  expect_waits_for_a_person(kProbeBandwidthLow);
  Scene loopback;
  add_loopback(loopback, 1e9);
  expect_not_looked_at(loopback.ask(kProbeBandwidthLow), "on_demand");
}

TEST(ProbeBandwidthLow, compares_with_the_line_rate) {
  expect_pass(of(92.1e9));
  expect_fail(of(91.9e9), Severity::Warning, "91.9 Gbit/s of a line of 100 Gbit/s");
  expect_fail(of(80.1e9), Severity::Warning);
  expect_fail(of(79.9e9), Severity::Critical, "79.9 Gbit/s");
}

TEST(ProbeBandwidthLow, wants_no_more_than_the_slower_end_has) {
  Scene scene;
  add_run(scene, 24e9).peer_speed_bits_per_second = std::uint64_t{25'000'000'000};
  expect_pass(scene.ask(kProbeBandwidthLow));
  probes(scene).bandwidth[0].bits_per_second = 18e9;
  expect_fail(scene.ask(kProbeBandwidthLow), Severity::Critical, "18 Gbit/s of a line of 25 Gbit/s");
}

TEST(ProbeBandwidthLow, leaves_to_small_packets_what_their_headers_take) {
  Scene scene;
  add_run(scene, 88e9).mtu_bytes = 1024;  // at most 92.6 Gbit/s of payload
  expect_pass(scene.ask(kProbeBandwidthLow));
  probes(scene).bandwidth[0].bits_per_second = 86e9;
  expect_fail(scene.ask(kProbeBandwidthLow), Severity::Warning);
  probes(scene).bandwidth[0].mtu_bytes = 0;  // not known: no allowance
  probes(scene).bandwidth[0].bits_per_second = 88e9;
  expect_fail(scene.ask(kProbeBandwidthLow), Severity::Warning);
}

TEST(ProbeBandwidthLow, does_not_judge_a_busy_line_or_one_of_which_that_is_not_known) {
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.other_bits_per_second = 5e9; }), Why::NotPresent);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.other_bits_per_second = denied(); }), Why::NotPresent);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.peer_busy_share = 0.05; }), Why::NotPresent);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.peer_busy_share = not_present(); }), Why::NotPresent);
  expect_fail(low_with([](Scene&, BandwidthRun& run) { run.other_bits_per_second = 4.9e9; }), Severity::Critical);
  expect_fail(low_with([](Scene&, BandwidthRun& run) { run.peer_busy_share = 0.01; }), Severity::Critical);
}

TEST(ProbeBandwidthLow, does_not_blame_a_line_whose_other_end_may_be_slower) {
  const Judgement said = low_with([](Scene&, BandwidthRun& run) { run.peer_speed_bits_per_second = not_present(); });
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("line rate of the peer's port"), std::string::npos) << words_of(said);
  expect_unknown(low_with([](Scene&, BandwidthRun& run) { run.peer_speed_bits_per_second = std::uint64_t{0}; }),
                 Why::NotPresent);
}

TEST(ProbeBandwidthLow, does_not_blame_a_line_that_this_host_could_not_feed) {
  const Judgement said = low_with([](Scene&, BandwidthRun& run) { run.waited_seconds = 0.05; });
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("no CPU"), std::string::npos) << words_of(said);
}

TEST(ProbeBandwidthLow, is_unknown_where_the_run_broke_off_or_the_own_speed_is_not_known) {
  Scene scene;
  add_run(scene, 70e9).bits_per_second = Absent{Why::NotPresent, "the device failed or was removed"};
  const Judgement said = scene.ask(kProbeBandwidthLow);
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("device failed"), std::string::npos) << words_of(said);
  Scene blind;
  add_run(blind, 97e9);
  blind.eth0().ethtool.link_modes = denied();
  expect_unknown(blind.ask(kProbeBandwidthLow), Why::Denied);
  Scene none;
  add_run(none, 97e9);
  none.eth0().ethtool.link_modes->speed_bits_per_second = std::uint64_t{0};
  expect_unknown(none.ask(kProbeBandwidthLow), Why::NotPresent);
}

TEST(ProbeBandwidthLow, does_not_judge_software_rdma_and_virtual_machines_unless_somebody_set_the_limits) {
  Scene scene;
  add_run(scene, 5e9);
  Scene software = scene, guest = scene;
  software.port().function = FunctionKind::Software;
  expect_not_applicable(software.ask(kProbeBandwidthLow));
  guest.now().host.virtual_machine = true;
  expect_not_applicable(guest.ask(kProbeBandwidthLow));
  guest.limit("probe-bandwidth-low.crit", 0.5);
  expect_fail(guest.ask(kProbeBandwidthLow), Severity::Critical);
}

TEST(ProbeBandwidthLow, wants_of_a_bond_what_one_of_its_ports_carries) {
  Scene scene;
  scene.bonded(4, "");
  Netdev& bond = scene.netdev("bond0");
  bond.ethtool.link_modes = scene.eth0().ethtool.link_modes;
  bond.ethtool.link_modes->speed_bits_per_second = 200'000'000'000ULL;
  add_run(scene, 95e9).peer_speed_bits_per_second = std::uint64_t{200'000'000'000};
  expect_pass(scene.ask(kProbeBandwidthLow));
}

TEST(ProbeBandwidthLow, is_less_sure_of_one_pair_than_of_several) {
  EXPECT_LT(of(50e9).confidence, 0.7);
  Scene scene;
  add_run(scene, 50e9, "node2:9885");
  add_run(scene, 55e9, "node3:9885");
  std::vector<Judgement> said = scene.judge(kProbeBandwidthLow);
  ASSERT_EQ(said.size(), 2U);
  for (const Judgement& one : said) {
    EXPECT_EQ(one.outcome, Outcome::Fail);
    EXPECT_GE(one.confidence, 0.7);
  }
  Scene half = scene;
  probes(half).bandwidth[1].peer_busy_share = 0.2;
  for (const Judgement& one : half.judge(kProbeBandwidthLow)) {
    if (one.outcome == Outcome::Fail) {
      EXPECT_LT(one.confidence, 0.7) << "the other one was not judged";
    }
  }
  add_run(scene, 97e9, "node4:9885");
  add_run(scene, 97e9, "node5:9885");
  add_run(scene, 97e9, "node6:9885");
  for (const Judgement& one : scene.judge(kProbeBandwidthLow)) EXPECT_LT(one.confidence, 0.7) << "probably the peers";
}

TEST(ProbeBandwidthLow, goes_by_the_newest_run_to_a_peer) {
  Scene scene;
  add_run(scene, 50e9);
  add_run(scene, 97e9).peer_device = "mlx5_1";
  expect_pass(scene.ask(kProbeBandwidthLow));
  BandwidthRun& broken = add_run(scene, 97e9);
  broken.bits_per_second = Absent{Why::NotPresent, "the peer refuses"};
  broken.peer_device = "";
  expect_unknown(scene.ask(kProbeBandwidthLow), Why::NotPresent);
}

TEST(ProbeBandwidthLow, is_a_symptom_where_pcie_is_the_limit) {
  Scene scene;
  add_run(scene, 50e9);
  scene.nic().current_width = 4U;
  scene.after(1).after(1);
  const ReportPtr report = scene.report();
  const Finding* low = report->finding("probe-bandwidth-low@mlx5_0/1#node2:9885");
  ASSERT_NE(low, nullptr);
  EXPECT_FALSE(low->symptom_of.empty());
}

}  // namespace
}  // namespace roceready::rules_test

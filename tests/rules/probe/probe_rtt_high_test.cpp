// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

/// Slow for three of five windows, as the engine saw it.
PeerProbe& slow(Scene& scene, double p50, double p99) {
  PeerProbe& peer = probes(scene).peers[0];
  peer.slow_windows = 3;
  peer.rtt = ProbeTimes{1000, 3e-6, p50, p50, p99, p99};
  return peer;
}

TEST(ProbeRttHigh, is_quiet_on_a_calm_path) {
  Scene scene;
  add_peers(scene, 2);
  expect_pass(scene.ask(kProbeRttHigh));
}

TEST(ProbeRttHigh, fires_when_the_median_or_the_tail_lasts_above_the_baseline) {
  Scene scene;
  add_peer(scene, "node2:9885");
  slow(scene, 80e-6, 90e-6);
  expect_fail(scene.ask(kProbeRttHigh), Severity::Warning, "80 µs (median)");
  slow(scene, 5e-6, 400e-6);
  const Judgement said = scene.ask(kProbeRttHigh);
  expect_fail(said, Severity::Warning, "400 µs (99th percentile)");
  EXPECT_TRUE(said.derived_threshold);
}

TEST(ProbeRttHigh, is_quiet_below_fifty_microseconds_and_for_less_than_three_windows) {
  Scene scene;
  add_peer(scene, "node2:9885");
  slow(scene, 40e-6, 45e-6);
  expect_pass(scene.ask(kProbeRttHigh));
  slow(scene, 80e-6, 900e-6).slow_windows = 2;
  expect_pass(scene.ask(kProbeRttHigh));
}

TEST(ProbeRttHigh, never_blames_the_network_for_answers_that_this_host_read_late) {
  Scene scene;
  add_peer(scene, "node2:9885");
  slow(scene, 80e-6, 900e-6).late_polls = 200;
  expect_unknown(scene.ask(kProbeRttHigh), Why::NotPresent);
  slow(scene, 5e-6, 900e-6).late_polls = 20;
  expect_pass(scene.ask(kProbeRttHigh));
}

TEST(ProbeRttHigh, never_blames_the_network_for_a_peer_whose_host_came_late_to_more_than_a_tenth) {
  Scene scene;
  add_peer(scene, "node2:9885");
  slow(scene, 80e-6, 900e-6).responder_late = 101;
  const Judgement said = scene.ask(kProbeRttHigh);
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("its host came late to 101 of 1000 probes"), std::string::npos) << words_of(said);
  slow(scene, 80e-6, 900e-6).responder_late = 100;
  expect_fail(scene.ask(kProbeRttHigh), Severity::Warning);
}

TEST(ProbeRttHigh, waits_for_a_baseline) {
  Scene scene;
  add_peer(scene, "node2:9885").baseline_p50_seconds = not_present();
  expect_not_looked_at(scene.ask(kProbeRttHigh), "longer_window");
}

TEST(ProbeRttHigh, is_unknown_where_answers_have_no_valid_time) {
  Scene scene;
  add_peer(scene, "node2:9885").rtt = Absent{Why::Malformed, "all times were negative"};
  expect_unknown(scene.ask(kProbeRttHigh), Why::Malformed);
}

TEST(ProbeRttHigh, is_not_judged_of_software_rdma_and_in_virtual_machines_unless_somebody_set_the_limits) {
  Scene scene;
  add_peer(scene, "node2:9885");
  slow(scene, 900e-6, 900e-6);
  Scene virtual_machine = scene, software = scene;
  virtual_machine.now().host.virtual_machine = true;
  expect_not_applicable(virtual_machine.ask(kProbeRttHigh));
  software.port().function = FunctionKind::Software;
  expect_not_applicable(software.ask(kProbeRttHigh));
  software.limit("probe-rtt-high.median_factor", 3);
  expect_fail(software.ask(kProbeRttHigh), Severity::Warning);
}

TEST(ProbeRttHigh, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeRttHigh);
}

TEST(ProbeRttHigh, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeRttHigh);
}

}  // namespace
}  // namespace roceready::rules_test

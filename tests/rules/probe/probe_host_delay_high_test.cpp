// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

ProbeTimes late(double p99) {
  return {1000, 1e-6, 2e-6, 3e-6, p99, p99};
}

TEST(ProbeHostDelayHigh, is_quiet_while_hosts_answer_at_once) {
  Scene scene;
  add_peers(scene, 2);
  expect_pass(scene.ask(kProbeHostDelayHigh));
}

TEST(ProbeHostDelayHigh, names_the_responder_that_is_late) {
  Scene scene;
  add_peers(scene, 3);
  probes(scene).peers[1].responder_delay = late(0.004);
  const Judgement said = scene.ask(kProbeHostDelayHigh);
  expect_fail(said, Severity::Info, "4000 µs");
  EXPECT_EQ(said.subject.peer.value_or(""), "node2:9885");
}

TEST(ProbeHostDelayHigh, says_of_this_host_that_it_is_late_itself) {
  Scene scene;
  add_peers(scene, 2);
  probes(scene).peers[0].prober_delay = late(0.001);
  const Judgement said = scene.ask(kProbeHostDelayHigh);
  expect_fail(said, Severity::Info, "This host");
  EXPECT_FALSE(said.subject.peer);
}

TEST(ProbeHostDelayHigh, is_not_said_while_the_network_is_slow_too) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.responder_delay = late(0.004);
  peer.slow_windows = 4;
  expect_pass(scene.ask(kProbeHostDelayHigh));
}

TEST(ProbeHostDelayHigh, is_judged_in_a_virtual_machine_only_where_somebody_set_the_limit) {
  Scene scene;
  add_peer(scene, "node2:9885").responder_delay = late(0.5);
  scene.now().host.virtual_machine = true;
  expect_not_applicable(scene.ask(kProbeHostDelayHigh));
  scene.limit("probe-host-delay-high.delay_s", 0.1);
  expect_fail(scene.ask(kProbeHostDelayHigh), Severity::Info);
}

TEST(ProbeHostDelayHigh, is_unknown_where_answers_come_without_times) {
  Scene scene;
  add_peer(scene, "node2:9885").responder_delay = Absent{Why::Malformed, "impossible times"};
  expect_unknown(scene.ask(kProbeHostDelayHigh), Why::Malformed);
}

TEST(ProbeHostDelayHigh, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeHostDelayHigh);
}

TEST(ProbeHostDelayHigh, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeHostDelayHigh);
}

}  // namespace
}  // namespace roceready::rules_test

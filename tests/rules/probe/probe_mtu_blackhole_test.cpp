// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(ProbeMtuBlackhole, is_quiet_where_large_probes_are_answered) {
  Scene scene;
  add_peer(scene, "node2:9885").mtu_lost = 2;
  expect_pass(scene.ask(kProbeMtuBlackhole));
}

TEST(ProbeMtuBlackhole, fires_where_large_ones_vanish_and_small_ones_do_not) {
  Scene scene;
  add_peer(scene, "node2:9885").mtu_lost = 100;
  expect_fail(scene.ask(kProbeMtuBlackhole), Severity::Critical, "100 of 100 probes of 4056 bytes");
}

TEST(ProbeMtuBlackhole, finds_one_narrow_path_of_four) {
  Scene scene;
  add_peer(scene, "node2:9885").mtu_lost = 25;
  expect_fail(scene.ask(kProbeMtuBlackhole), Severity::Critical, "25 of 100");
}

TEST(ProbeMtuBlackhole, is_not_the_loss_that_small_probes_have_too) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.lost = 250;
  peer.mtu_lost = 30;
  expect_pass(scene.ask(kProbeMtuBlackhole));
  peer.lost_in_row = 10;
  expect_not_applicable(scene.ask(kProbeMtuBlackhole));
}

TEST(ProbeMtuBlackhole, does_not_apply_without_large_probes_and_waits_for_three) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.mtu_sent = 2;
  expect_not_looked_at(scene.ask(kProbeMtuBlackhole), "longer_window");
  peer.mtu_size = 0;
  expect_not_applicable(scene.ask(kProbeMtuBlackhole));
}

TEST(ProbeMtuBlackhole, is_said_where_this_host_read_other_answers_late) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.mtu_lost = 30;
  peer.late_polls = 30;
  expect_fail(scene.ask(kProbeMtuBlackhole), Severity::Critical);
}

TEST(ProbeMtuBlackhole, is_unknown_where_the_host_of_the_peer_answers_too_late) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.mtu_lost = peer.mtu_answered_late = 30;
  expect_unknown(scene.ask(kProbeMtuBlackhole), Why::NotPresent);
  peer.mtu_answered_late = 29;
  expect_fail(scene.ask(kProbeMtuBlackhole), Severity::Critical);
}

TEST(ProbeMtuBlackhole, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeMtuBlackhole);
}

TEST(ProbeMtuBlackhole, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeMtuBlackhole);
}

}  // namespace
}  // namespace roceready::rules_test

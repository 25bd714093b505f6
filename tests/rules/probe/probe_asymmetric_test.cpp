// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

void lose(PeerProbe& peer, std::uint64_t there, std::uint64_t back) {
  peer.lost = there + back;
  peer.lost_there = there;
  peer.lost_back = back;
}

Scene with_peers(std::size_t count, std::uint64_t there, std::uint64_t back) {
  Scene scene;
  add_peers(scene, count);
  for (PeerProbe& peer : probes(scene).peers) lose(peer, there, back);
  return scene;
}

TEST(ProbeAsymmetric, is_quiet_without_loss_with_loss_both_ways_and_with_little_loss) {
  expect_pass(with_peers(1, 0, 0).ask(kProbeAsymmetric));
  expect_pass(with_peers(1, 12, 9).ask(kProbeAsymmetric));
  expect_pass(with_peers(1, 7, 0).ask(kProbeAsymmetric));
}

TEST(ProbeAsymmetric, is_a_warning_where_nearly_all_losses_to_a_peer_are_in_one_direction) {
  const Judgement out = with_peers(1, 20, 1).ask(kProbeAsymmetric);
  expect_fail(out, Severity::Warning, "20 were lost on the way there and the answers of 1 on the way back");
  EXPECT_EQ(out.subject.peer, "node1:9885");
  expect_fail(with_peers(1, 0, 8).ask(kProbeAsymmetric), Severity::Warning, "the way in is at fault");
}

TEST(ProbeAsymmetric, sees_in_all_peers_together_what_none_shows_alone) {
  const Judgement said = with_peers(6, 3, 0).ask(kProbeAsymmetric);
  expect_fail(said, Severity::Warning, "6 peers, 18 were lost on the way there");
  EXPECT_FALSE(said.subject.peer);
}

TEST(ProbeAsymmetric, does_not_pass_where_the_peers_do_not_tell_what_arrived) {
  Scene scene = with_peers(1, 0, 0);
  PeerProbe& peer = probes(scene).peers.front();
  peer.lost_there = peer.lost_back = not_supported();
  expect_not_looked_at(scene.ask(kProbeAsymmetric), "never_shown");
  peer.lost_there = peer.lost_back = not_present();
  expect_unknown(scene.ask(kProbeAsymmetric), Why::NotPresent);
  Scene connected;
  PeerProbe& rc = add_peer(connected, "node1:9885", "rc-write");
  rc.lost_there = rc.lost_back = not_supported();
  expect_not_applicable(connected.ask(kProbeAsymmetric));
}

TEST(ProbeAsymmetric, waits_for_probes_enough_and_leaves_dead_paths_to_their_rule) {
  Scene early = with_peers(1, 0, 0);
  probes(early).peers.front().sent = 20;
  expect_not_looked_at(early.ask(kProbeAsymmetric), "longer_window");
  Scene dead = with_peers(1, 0, 0);
  probes(dead).peers.front().lost = probes(dead).peers.front().lost_in_row = 1000;
  expect_not_looked_at(dead.ask(kProbeAsymmetric), "longer_window");
}

TEST(ProbeAsymmetric, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeAsymmetric);
  expect_blocked_is_unknown(kProbeAsymmetric);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(ProbeLoss, is_quiet_below_a_thousandth) {
  Scene scene;
  add_peers(scene, 3);
  probes(scene).peers[0].lost = 2;
  expect_pass(scene.ask(kProbeLoss));
}

TEST(ProbeLoss, is_a_warning_from_a_thousandth_and_critical_from_a_hundredth_over_all_peers) {
  Scene scene;
  add_peers(scene, 4);
  for (PeerProbe& peer : probes(scene).peers) peer.lost = 2;
  expect_fail(scene.ask(kProbeLoss), Severity::Warning, "8 of 4000 probes");
  for (PeerProbe& peer : probes(scene).peers) peer.lost = 12;
  const Judgement said = scene.ask(kProbeLoss);
  expect_fail(said, Severity::Critical, "4 peers");
  EXPECT_FALSE(said.subject.peer);
}

TEST(ProbeLoss, says_whether_it_is_inside_or_outside_of_our_own_switch) {
  Scene scene;
  add_peers(scene, 2);
  for (PeerProbe& peer : probes(scene).peers) peer.label = "leaf1";
  probes(scene).peers[0].inside = true;
  probes(scene).peers[1].lost = 30;
  expect_fail(scene.ask(kProbeLoss), Severity::Critical,
              "under our own switch: 0 of 1000 probes; to others: 30 of 1000 probes");
}

TEST(ProbeLoss, of_one_peer_among_good_ones_is_that_peers_and_not_the_ports) {
  Scene scene;
  add_peers(scene, 5);
  probes(scene).peers[1].lost = 60;
  const Judgement said = scene.ask(kProbeLoss);
  expect_fail(said, Severity::Critical, "60 of 1000 probes (6 %) to node2:9885");
  EXPECT_EQ(said.subject.peer.value_or(""), "node2:9885");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(ProbeLoss, of_one_peer_needs_many_probes_or_much_loss) {
  Scene scene;
  add_peers(scene, 40);
  PeerProbe& peer = probes(scene).peers[3];
  peer.sent = 45;
  peer.lost = 4;
  expect_pass(scene.ask(kProbeLoss));
  peer.lost = 12;
  EXPECT_EQ(scene.ask(kProbeLoss).subject.peer.value_or(""), "node4:9885");
}

TEST(ProbeLoss, of_all_together_is_shared_with_good_peers_that_were_left_out) {
  Scene scene;
  add_peers(scene, 40);
  for (PeerProbe& peer : probes(scene).peers) peer.lost = 3;
  expect_fail(scene.ask(kProbeLoss), Severity::Warning, "120 of 40000 probes");
  probes(scene).peers_left_out = 4000;
  probes(scene).fine_left_out = {{"mlx5_0", 1, 4000, 4'000'000}};
  expect_pass(scene.ask(kProbeLoss));
}

TEST(ProbeLoss, with_few_probes_tells_much_loss_only) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.sent = 120;
  peer.lost = 1;
  expect_pass(scene.ask(kProbeLoss));
  peer.lost = 4;
  expect_fail(scene.ask(kProbeLoss), Severity::Warning, "4 of 120 probes");
  peer.sent = 40;
  peer.lost = 2;
  expect_not_looked_at(scene.ask(kProbeLoss), "longer_window");
}

TEST(ProbeLoss, of_a_lone_pair_is_judged_at_two_probes_a_second) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.sent = 90;
  peer.lost = 8;
  const Judgement said = scene.ask(kProbeLoss);
  expect_fail(said, Severity::Warning, "8 of 90 probes (8.89 %) to node2:9885");
  EXPECT_DOUBLE_EQ(said.confidence, 0.6);
  EXPECT_EQ(said.subject.peer.value_or(""), "node2:9885");
  peer.lost = 1;
  expect_pass(scene.ask(kProbeLoss));
  peer.sent = 55;
  peer.lost = 2;
  expect_pass(scene.ask(kProbeLoss));
  peer.answered_late = peer.lost = 8;
  peer.sent = 90;
  expect_unknown(scene.ask(kProbeLoss), Why::NotPresent);
}

TEST(ProbeLoss, of_a_pair_waits_for_a_window_that_is_nearly_full) {
  Scene scene;
  add_peers(scene, 6);
  probes(scene).peers[2].sent = 60;
  probes(scene).peers[2].lost = 5;
  EXPECT_EQ(scene.ask(kProbeLoss).subject.peer.value_or(""), "node3:9885");
  probes(scene).window_seconds = 30;
  expect_pass(scene.ask(kProbeLoss));
}

TEST(ProbeLoss, of_few_probes_among_good_peers_is_of_the_lower_confidence) {
  Scene scene;
  add_peers(scene, 4);
  for (PeerProbe& peer : probes(scene).peers) peer.sent = 100;
  probes(scene).peers[1].lost = 8;
  EXPECT_LT(scene.ask(kProbeLoss).confidence, 0.6);
}

TEST(ProbeLoss, leaves_a_silent_peer_to_the_rule_on_that) {
  Scene scene;
  add_peers(scene, 3);
  probes(scene).peers[0].lost = 500;
  probes(scene).peers[0].lost_in_row = 500;
  expect_pass(scene.ask(kProbeLoss));
}

TEST(ProbeLoss, is_never_what_could_not_be_sent) {
  Scene scene;
  add_peers(scene, 2);
  for (PeerProbe& peer : probes(scene).peers) peer.not_sent = 900;
  expect_pass(scene.ask(kProbeLoss));
}

TEST(ProbeLoss, of_all_is_unknown_where_the_hosts_of_peers_answer_too_late) {
  Scene scene;
  add_peers(scene, 2);
  for (PeerProbe& peer : probes(scene).peers) peer.lost = peer.answered_late = 20;
  expect_unknown(scene.ask(kProbeLoss), Why::NotPresent);
  for (PeerProbe& peer : probes(scene).peers) peer.answered_late = 5;
  expect_fail(scene.ask(kProbeLoss), Severity::Critical, "40 of 2000");
  PeerProbe& loud = probes(scene).peers[0];
  loud.lost = loud.answered_late = 300;
  EXPECT_EQ(scene.judge(kProbeLoss).size(), 1U) << "the other peer's loss is told";
}

/// An answer that lay unread was answered: it says nothing of those that never came, and busy nodes have some of them
/// always.
TEST(ProbeLoss, is_told_whatever_other_answers_this_host_read_late) {
  Scene scene;
  add_peers(scene, 8);
  for (PeerProbe& peer : probes(scene).peers) {
    peer.sent = 88;
    peer.lost = peer.late_polls = 8;
  }
  const std::vector<Judgement> said = scene.judge(kProbeLoss);
  EXPECT_EQ(said.size(), 9U) << "of each, and of the port";
  for (const Judgement& each : said) expect_fail(each, Severity::Warning, each.subject.peer ? "8 of 88" : "64 of 704");
  scene = {};
  add_peers(scene, 64);
  for (PeerProbe& peer : probes(scene).peers) {
    peer.sent = 88;
    peer.lost = peer.late_polls = 1;
  }
  expect_fail(scene.ask(kProbeLoss), Severity::Critical, "64 of 5632");
}

TEST(ProbeLoss, to_most_peers_is_no_milder_where_it_is_heavier) {
  for (const std::uint64_t lost : {3U, 8U, 30U}) {
    Scene scene;
    add_peers(scene, 20);
    for (PeerProbe& peer : probes(scene).peers) peer.sent = 88;
    for (std::size_t k = 0; k < 16; ++k) probes(scene).peers[k].lost = lost;
    const std::vector<Judgement> said = scene.judge(kProbeLoss);
    EXPECT_TRUE(std::ranges::any_of(said, [](const Judgement& each) { return each.severity == Severity::Critical; }))
        << lost;
  }
}

TEST(ProbeLoss, to_half_of_the_peers_is_not_the_ports_and_to_some_more_it_may_be) {
  for (const auto& [bad, of, of_port] : {std::tuple{2U, 4U, 0.0}, {3U, 5U, 0.6}, {4U, 6U, 1.0}}) {
    Scene scene;
    add_peers(scene, of);
    for (std::size_t k = 0; k < bad; ++k) probes(scene).peers[k].lost = 100;
    double confidence = 0;
    for (const Judgement& each : scene.judge(kProbeLoss))
      if (!each.subject.peer && each.severity == Severity::Critical) confidence = each.confidence;
    EXPECT_DOUBLE_EQ(confidence, of_port) << bad << " of " << of;
  }
}

TEST(ProbeLoss, is_unknown_where_the_host_of_the_peer_may_be_all_of_it) {
  Scene scene;
  add_peers(scene, 4);
  PeerProbe& starved = probes(scene).peers[1];
  starved.lost = starved.answered_late = 60;
  const Judgement said = scene.ask(kProbeLoss);
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("the peer's host answers late"), std::string::npos) << words_of(said);
  starved.lost = 160;
  expect_fail(scene.ask(kProbeLoss), Severity::Critical, "160 of 1000 probes");
}

TEST(ProbeLoss, is_not_excused_by_late_answers_of_another_kind) {
  Scene scene;
  add_peers(scene, 2);
  PeerProbe connected = probes(scene).peers[0];
  connected.kind = "rc-write";
  connected.sent = 90;
  connected.answered_late = 60;
  probes(scene).peers.push_back(connected);
  for (std::size_t k = 0; k < 2; ++k) probes(scene).peers[k].lost = 30;
  expect_fail(scene.ask(kProbeLoss), Severity::Critical, "60 of 2090");
}

TEST(ProbeLoss, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeLoss);
}

TEST(ProbeLoss, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeLoss);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(ProbeUnreachable, is_quiet_while_peers_answer) {
  Scene scene;
  add_peers(scene, 3);
  probes(scene).peers[1].lost_in_row = 2;
  expect_pass(scene.ask(kProbeUnreachable));
}

TEST(ProbeUnreachable, is_critical_where_the_host_is_up_and_its_rdma_path_is_not) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node17:9885");
  peer.lost_in_row = 3;
  peer.error = std::string("transport retry counter exceeded");
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_fail(said, Severity::Critical, "answers over HTTP");
  EXPECT_NE(said.sentence.find("transport retry counter exceeded"), std::string::npos) << said.sentence;
  EXPECT_EQ(said.subject.peer.value_or(""), "node17:9885");
  EXPECT_DOUBLE_EQ(said.confidence, 1.0);
}

TEST(ProbeUnreachable, is_a_warning_where_the_agent_of_the_peer_may_be_down) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node17:9885");
  peer.lost_in_row = 40;
  peer.control_answers = false;
  expect_fail(scene.ask(kProbeUnreachable), Severity::Warning, "does not answer over HTTP either");
  probes(scene).peers[0].control_answers = not_present();
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_fail(said, Severity::Warning, "not asked over HTTP since");
  EXPECT_EQ(said.sentence.find("does not answer over HTTP"), std::string::npos) << said.sentence;
}

TEST(ProbeUnreachable, is_never_said_of_a_peer_that_serves_no_probes) {
  const char kWords[] = "the peer answers no probes: its configuration has no probes.secret_file";
  Scene scene;
  add_peer(scene, "node17:9885");
  for (const std::uint64_t not_sent : {0, 40}) {
    for (const bool answers : {true, false}) {
      PeerProbe& peer = probes(scene).peers[0];
      peer.sent = 0;
      peer.not_sent = not_sent;
      peer.control_answers = answers;
      peer.error = std::string(kWords);
      const Judgement said = scene.ask(kProbeUnreachable);
      expect_unknown(said, Why::NotPresent);
      EXPECT_NE(said.sentence.find(kWords), std::string::npos) << words_of(said);
    }
  }
  probes(scene).peers[0].sent = 60;
  probes(scene).peers[0].lost_in_row = 20;
  expect_unknown(scene.ask(kProbeUnreachable), Why::NotPresent);
}

TEST(ProbeUnreachable, is_a_warning_where_no_session_could_be_had) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node17:9885");
  peer.sent = peer.not_sent = 0;
  peer.control_answers = false;
  peer.error = std::string("connection refused");
  expect_fail(scene.ask(kProbeUnreachable), Severity::Warning, "connection refused");
}

TEST(ProbeUnreachable, blames_a_lone_peer_rather_than_this_node_when_the_others_answer) {
  Scene scene;
  add_peers(scene, 5);
  probes(scene).peers[2].lost_in_row = 9;
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_fail(said, Severity::Critical, "The other 4 peers are fine");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(ProbeUnreachable, of_one_of_two_peers_does_not_condemn_this_node) {
  Scene scene;
  add_peers(scene, 2);
  probes(scene).peers[1].lost_in_row = 9;
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_fail(said, Severity::Critical, "The other peer is fine from here, so the fault may be there");
  EXPECT_LT(said.confidence, 0.7);
  probes(scene).peers[0].lost_in_row = 9;
  EXPECT_DOUBLE_EQ(scene.judge(kProbeUnreachable).front().confidence, 1.0) << "none is fine";
}

TEST(ProbeUnreachable, counts_good_peers_that_were_left_out_with_the_others) {
  Scene scene;
  add_peers(scene, 30);
  for (PeerProbe& peer : probes(scene).peers) peer.lost_in_row = 5;
  probes(scene).peers_left_out = 400;
  probes(scene).fine_left_out = {{"mlx5_0", 1, 400, 400'000}, {"mlx5_7", 1, 1, 1}};
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_fail(said, Severity::Critical, "30 of 430 peers");
  EXPECT_NE(said.sentence.find("The other 400 peers are fine"), std::string::npos) << said.sentence;
  EXPECT_LT(said.confidence, 0.7) << "the port serves most of its peers";
}

TEST(ProbeUnreachable, names_eight_of_many_peers_and_counts_the_others) {
  Scene scene;
  add_peers(scene, 30);
  for (PeerProbe& peer : probes(scene).peers) peer.lost_in_row = 5;
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_fail(said, Severity::Critical, "30 of 30 peers");
  EXPECT_NE(said.sentence.find("and 22 more"), std::string::npos) << said.sentence;
  EXPECT_FALSE(said.subject.peer);
  EXPECT_LE(said.evidence.size(), 8U);
  EXPECT_DOUBLE_EQ(said.confidence, 1.0);
}

TEST(ProbeUnreachable, is_said_where_this_host_read_other_answers_late) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node17:9885");
  peer.lost = 20;
  peer.lost_in_row = 20;
  peer.late_polls = 20;
  expect_fail(scene.ask(kProbeUnreachable), Severity::Critical, "20 ud probes in a row");
}

TEST(ProbeUnreachable, is_not_said_of_a_peer_whose_host_answers_after_the_timeout) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node17:9885");
  peer.lost = 20;
  peer.lost_in_row = 4;
  peer.answered_late = 16;
  const Judgement said = scene.ask(kProbeUnreachable);
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("the peer's host answers late"), std::string::npos) << words_of(said);
  peer.lost_in_row = 17;
  expect_fail(scene.ask(kProbeUnreachable), Severity::Critical);
}

TEST(ProbeUnreachable, is_a_warning_where_only_datagrams_are_silent) {
  Scene scene;
  add_peer(scene, "node17:9885").lost_in_row = 5;
  add_peer(scene, "node17:9885", "rc-write");
  expect_fail(scene.ask(kProbeUnreachable), Severity::Warning, "answered the newest requests on connections");
  for (PeerProbe& kind : probes(scene).peers) kind.control_answers = false;
  expect_fail(scene.ask(kProbeUnreachable), Severity::Warning, "does not answer over HTTP either");
  for (PeerProbe& kind : probes(scene).peers) kind.control_answers = true;
  probes(scene).peers[1].lost_in_row = 1;
  expect_fail(scene.ask(kProbeUnreachable), Severity::Critical, "its RDMA path is not");
}

TEST(ProbeUnreachable, says_which_kind_of_probe_is_answered) {
  Scene scene;
  add_peer(scene, "node17:9885");
  add_peer(scene, "node17:9885", "rc-write").lost_in_row = 3;
  expect_fail(scene.ask(kProbeUnreachable), Severity::Critical, "(ud probes are answered)");
}

TEST(ProbeUnreachable, tells_two_ports_of_one_peer_apart) {
  Scene scene;
  add_peer(scene, "node17:9885");
  PeerProbe& second = add_peer(scene, "node17:9885");
  second.peer_device = "mlx5_1";
  second.lost_in_row = 3;
  EXPECT_EQ(scene.ask(kProbeUnreachable).subject.peer.value_or(""), "node17:9885/mlx5_1/1");
}

TEST(ProbeUnreachable, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbeUnreachable);
}

TEST(ProbeUnreachable, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbeUnreachable);
}

}  // namespace
}  // namespace roceready::rules_test

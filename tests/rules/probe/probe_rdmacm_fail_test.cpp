// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

/// What the connection manager's probes know of a peer: so many of ten attempts failed, the newest.
PeerProbe& add_connections(Scene& scene, const std::string& name, std::uint32_t failed) {
  PeerProbe& peer = add_peer(scene, name, "rdmacm");
  peer.sent = 10;
  peer.lost = peer.lost_in_row = failed;
  peer.mtu_size = 0;
  peer.mtu_sent = 0;
  peer.paths.clear();
  peer.rtt = Absent{};
  peer.traffic_class = Absent{};
  if (failed > 0) peer.error = std::string("address resolution: no route to 10.0.0.17");
  return peer;
}

TEST(ProbeRdmacmFail, fires_where_connections_fail_and_probes_get_through) {
  Scene scene;
  add_peer(scene, "node17:9885");
  add_connections(scene, "node17:9885", 3);
  const Judgement said = scene.ask(kProbeRdmacmFail);
  expect_fail(said, Severity::Critical, "3 connections in a row from RDMA port mlx5_0/1 to node17:9885 (10.0.0.17)");
  expect_fail(said, Severity::Critical, "address resolution: no route to 10.0.0.17");
  expect_fail(said, Severity::Critical, "`ip neigh show 10.0.0.17`");
}

TEST(ProbeRdmacmFail, says_what_to_look_at_by_the_stage_that_failed) {
  const std::vector<std::pair<std::string, std::string>> advices = {
      {"connect: rejected: nobody listens on that service (8)", "ARP flux"},
      {"connect: rejected: not taken there (28)", "no route back"},
      {"connect: no answer from 10.0.0.17 in time", "filter of management datagrams"},
      {"connect: rejected: invalid GID (12)", "manager answers"},
      {"connect: accepted by somebody who does not know the session: the address leads elsewhere", "has that address"},
  };
  for (const auto& [reason, advice] : advices) {
    Scene scene;
    add_peer(scene, "node17:9885");
    add_connections(scene, "node17:9885", 3).error = reason;
    expect_fail(scene.ask(kProbeRdmacmFail), Severity::Critical, advice);
  }
}

TEST(ProbeRdmacmFail, is_quiet_where_connections_are_made) {
  Scene scene;
  add_peer(scene, "node17:9885");
  add_connections(scene, "node17:9885", 0);
  expect_pass(scene.ask(kProbeRdmacmFail));
  PeerProbe& once = probes(scene).peers.back();
  once.lost = 5;
  expect_pass(scene.ask(kProbeRdmacmFail));
  once.discarded = 2;  // held back by the budget, say
  expect_pass(scene.ask(kProbeRdmacmFail));
}

TEST(ProbeRdmacmFail, does_not_know_where_no_connection_was_well_lately) {
  Scene scene;
  add_peer(scene, "node17:9885");
  PeerProbe& made = add_connections(scene, "node17:9885", 2);  // then the peer refused
  made.sent = 2;
  made.not_sent = 1;
  made.lost_in_row = 0;
  made.discarded = 3;
  made.error = std::string("the peer refused: rejected: no resources (3)");
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::NotPresent);
  made.lost = 0;  // well at the window's begin, and nothing is known since
  made.not_sent = 12;
  made.discarded = 12;
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::NotPresent);
}

TEST(ProbeRdmacmFail, waits_for_three_in_a_row) {
  Scene scene;
  add_peer(scene, "node17:9885");
  add_connections(scene, "node17:9885", 2);
  expect_not_looked_at(scene.ask(kProbeRdmacmFail), "longer_window");
  probes(scene).peers.back().sent = probes(scene).peers.back().lost = 0;
  expect_not_looked_at(scene.ask(kProbeRdmacmFail), "longer_window");
  probes(scene).peers.back().lost_in_row = 3;  // and the next try is late
  expect_fail(scene.ask(kProbeRdmacmFail), Severity::Critical);
}

TEST(ProbeRdmacmFail, does_not_know_while_the_mesh_fails_as_well) {
  Scene scene;
  add_peer(scene, "node17:9885");
  add_connections(scene, "node17:9885", 5);
  PeerProbe& mesh = probes(scene).peers.front();
  mesh.lost = 101;
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::NotPresent);
  mesh.lost = 99;
  expect_fail(scene.ask(kProbeRdmacmFail), Severity::Critical);
  mesh.lost_in_row = 3;
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::NotPresent);
  mesh.lost_in_row = 0;
  mesh.sent = mesh.lost = 0;
  mesh.not_sent = 7;
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::NotPresent);
}

TEST(ProbeRdmacmFail, does_not_know_what_the_peer_refused_by_its_own_word) {
  Scene scene;
  add_peer(scene, "node17:9885");
  PeerProbe& made = add_connections(scene, "node17:9885", 0);
  made.sent = 0;
  made.not_sent = 10;
  made.error = std::string("the peer refused: rejected: not taken there (28)");
  const Judgement said = scene.ask(kProbeRdmacmFail);
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("the peer refused"), std::string::npos) << words_of(said);
}

TEST(ProbeRdmacmFail, is_not_looked_at_where_either_end_has_no_connection_manager) {
  Scene scene;
  add_peer(scene, "node17:9885");
  PeerProbe& made = add_connections(scene, "node17:9885", 3);  // until a while ago
  made.not_sent = 4;
  made.error = Absent{Why::NotSupported, "rdma_ucm is not loaded"};
  const Judgement said = scene.ask(kProbeRdmacmFail);
  expect_not_looked_at(said, "not_configured");
  EXPECT_NE(said.sentence.find("rdma_ucm is not loaded"), std::string::npos) << words_of(said);
  add_peer(scene, "node18:9885");
  add_connections(scene, "node18:9885", 3);
  expect_fail(scene.ask(kProbeRdmacmFail), Severity::Critical, "node18:9885");
}

TEST(ProbeRdmacmFail, does_not_know_where_it_may_not_open_the_connection_manager) {
  Scene scene;
  add_peer(scene, "node17:9885");
  add_connections(scene, "node17:9885", 3).error = Absent{Why::Denied, "permission denied"};
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::Denied);
}

TEST(ProbeRdmacmFail, compares_with_datagrams_alone) {
  Scene scene;
  add_peer(scene, "node17:9885");
  PeerProbe& connected = add_peer(scene, "node17:9885", "rc-send");
  connected.lost = connected.lost_in_row = 500;
  add_connections(scene, "node17:9885", 3);
  expect_fail(scene.ask(kProbeRdmacmFail), Severity::Critical);
  probes(scene).peers.front().kind = "rc-write";  // nobody sends datagrams
  expect_unknown(scene.ask(kProbeRdmacmFail), Why::NotPresent);
}

TEST(ProbeRdmacmFail, is_later_where_nobody_tried) {
  Scene scene;
  add_peer(scene, "node17:9885");
  expect_not_looked_at(scene.ask(kProbeRdmacmFail), "longer_window");
  add_connections(scene, "node17:9885", 0).sent = 0;
  expect_not_looked_at(scene.ask(kProbeRdmacmFail), "longer_window");
}

TEST(ProbeRdmacmFail, of_one_peer_among_many_is_probably_there) {
  Scene scene;
  for (std::size_t k = 1; k <= 4; ++k) {
    add_peer(scene, "node" + std::to_string(k) + ":9885");
    add_connections(scene, "node" + std::to_string(k) + ":9885", k == 2 ? 4 : 0);
  }
  const Judgement said = scene.ask(kProbeRdmacmFail);
  expect_fail(said, Severity::Critical, "The other 3 peers are fine from here");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(ProbeRdmacmFail, knows_nothing_where_nothing_probes) {
  expect_says_why_it_knows_nothing(kProbeRdmacmFail);
}

TEST(OtherRulesOnProbes, leave_connections_out) {
  Scene scene;
  add_peer(scene, "node17:9885");
  PeerProbe& made = add_connections(scene, "node17:9885", 10);
  made.label = "leaf1";
  expect_pass(scene.ask(kProbeUnreachable));
  expect_pass(scene.ask(kProbeLoss));
  expect_pass(scene.ask(kProbeMtuBlackhole));
  Scene alone;
  add_connections(alone, "node17:9885", 10);
  expect_not_looked_at(alone.ask(kProbeUnreachable), "not_configured");
}

}  // namespace
}  // namespace roceready::rules_test

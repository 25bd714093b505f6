// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(ProbePathOutlier, is_quiet_where_paths_are_alike_be_they_all_bad) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  expect_pass(scene.ask(kProbePathOutlier));
  for (ProbePath& path : peer.paths) path.lost = 50;
  expect_pass(scene.ask(kProbePathOutlier));
}

TEST(ProbePathOutlier, names_the_one_path_of_four_that_loses) {
  Scene scene;
  add_peer(scene, "node2:9885").paths[2].lost = 200;
  const Judgement said = scene.ask(kProbePathOutlier);
  expect_fail(said, Severity::Warning, "path 2 (queue pair 102, UDP source port 49154) loses 80 %");
  EXPECT_EQ(said.subject.path.value_or(""), "2");
  EXPECT_EQ(said.subject.peer.value_or(""), "node2:9885");
}

TEST(ProbePathOutlier, names_a_slow_path_but_not_of_software_rdma) {
  Scene scene;
  add_peer(scene, "node2:9885").paths[1].rtt->p50_seconds = 300e-6;
  expect_fail(scene.ask(kProbePathOutlier), Severity::Warning, "takes 300 µs (the others 4 µs)");
  scene.port().function = FunctionKind::Software;
  expect_pass(scene.ask(kProbePathOutlier));
}

/// What the window of a mesh of two probes a second holds: 60 to 90 probes to a peer, over all paths.
void spread(PeerProbe& peer, std::uint32_t paths, std::uint64_t each) {
  const ProbePath model = peer.paths.front();
  peer.paths.assign(paths, model);
  for (std::uint32_t k = 0; k < paths; ++k) {
    peer.paths[k].path = k;
    peer.paths[k].sent = peer.paths[k].rtt->count = each;
  }
  peer.sent = paths * each;
}

TEST(ProbePathOutlier, names_the_dead_path_of_as_many_as_there_may_be_at_the_default_rate) {
  for (const auto& [paths, each] : {std::pair{4U, 15U}, {5U, 12U}, {8U, 7U}, {16U, 3U}}) {
    Scene scene;
    PeerProbe& peer = add_peer(scene, "node2:9885");
    spread(peer, paths, each);
    if (each >= 12)
      expect_pass(scene.ask(kProbePathOutlier));
    else  // that none is slow is not known
      expect_not_looked_at(scene.ask(kProbePathOutlier), "longer_window");
    peer.lost = peer.paths[3].lost = each;
    const Judgement said = scene.ask(kProbePathOutlier);
    expect_fail(said, Severity::Warning, "loses 100 %");
    EXPECT_EQ(said.subject.path.value_or(""), "3") << paths;
  }
}

TEST(ProbePathOutlier, is_not_said_of_a_short_loss_on_all_paths) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  spread(peer, 4, 15);
  for (ProbePath& path : peer.paths) path.lost = 1;
  peer.paths[2].lost = 2;
  expect_pass(scene.ask(kProbePathOutlier));
  for (ProbePath& path : peer.paths) path.lost = 0;
  peer.paths[2].lost = 2;
  expect_pass(scene.ask(kProbePathOutlier));
}

TEST(ProbePathOutlier, compares_round_trips_of_enough_answers_only) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  spread(peer, 4, 15);
  peer.paths[1].rtt->p50_seconds = 300e-6;
  expect_fail(scene.ask(kProbePathOutlier), Severity::Warning, "takes 300 µs");
  peer.paths[1].rtt->count = 11;
  expect_pass(scene.ask(kProbePathOutlier));
}

TEST(ProbePathOutlier, needs_two_paths_with_enough_probes) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  for (ProbePath& path : peer.paths) path.sent = 2;
  expect_not_looked_at(scene.ask(kProbePathOutlier), "longer_window");
  peer.paths.resize(1);
  expect_not_applicable(scene.ask(kProbePathOutlier));
}

TEST(ProbePathOutlier, is_unknown_where_the_host_of_the_peer_was_late_with_answers) {
  Scene scene;
  PeerProbe& peer = add_peer(scene, "node2:9885");
  peer.paths[2].lost = 20;
  peer.late_polls = 25;
  peer.answered_late = 20;
  expect_unknown(scene.ask(kProbePathOutlier), Why::NotPresent);
  peer.answered_late = 19;
  expect_fail(scene.ask(kProbePathOutlier), Severity::Warning);
}

TEST(ProbePathOutlier, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kProbePathOutlier);
}

TEST(ProbePathOutlier, is_unknown_where_a_port_is_blocked_or_nothing_could_be_sent) {
  expect_blocked_is_unknown(kProbePathOutlier);
}

}  // namespace
}  // namespace roceready::rules_test

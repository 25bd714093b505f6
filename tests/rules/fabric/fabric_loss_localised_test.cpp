// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/fabric_scene.h"

namespace roceready::rules_test {
namespace {

void lose(Scene& scene, std::size_t peer, std::uint64_t lost) {
  probes(scene).peers.at(peer).lost = lost;
}

Scene with_peers(std::size_t count, std::size_t inside) {
  Scene scene;
  add_peers(scene, count);
  calm_fabric(scene, count);
  label(scene, inside);
  for (std::size_t k = 0; k < count; ++k) probes(scene).peers[k].label = k < inside ? "leaf-a" : "leaf-b";
  return scene;
}

TEST(FabricLossLocalised, is_quiet_where_nothing_is_lost_or_hosts_answered_what_was_late) {
  Scene scene = with_peers(6, 3);
  expect_pass(scene.ask(kFabricLossLocalised));
  lose(scene, 2, 40);
  probes(scene).peers[2].answered_late = 35;
  expect_pass(scene.ask(kFabricLossLocalised));
}

TEST(FabricLossLocalised, names_the_one_peer_that_loses_with_low_confidence) {
  Scene scene = with_peers(6, 3);
  lose(scene, 2, 40);
  const Judgement said = scene.ask(kFabricLossLocalised);
  expect_fail(said, Severity::Warning, "only node3:9885 of 6 peers loses probes");
  EXPECT_EQ(said.subject.peer, "node3:9885");
  EXPECT_LT(said.confidence, 0.7);
  digest(scene, 2).findings = std::map<std::string, std::string>{{"link-symbol-crc", "critical"}};
  expect_fail(scene.ask(kFabricLossLocalised), Severity::Warning, "tells of a fault of its own");
}

TEST(FabricLossLocalised, finds_this_node_where_nearly_all_lose) {
  Scene scene = with_peers(6, 3);
  for (std::size_t k = 0; k < 5; ++k) lose(scene, k, 80);
  expect_fail(scene.ask(kFabricLossLocalised), Severity::Critical, "this node's port");
  for (std::size_t k = 0; k < 5; ++k) lose(scene, k, 20);
  expect_fail(scene.ask(kFabricLossLocalised), Severity::Warning, "this node's port");
}

void silence(Scene& scene, std::size_t peer, const Reading<bool>& control) {
  PeerProbe& silent = probes(scene).peers.at(peer);
  silent.lost = silent.lost_in_row = 80;
  silent.control_answers = control;
}

/// A rack that is rebooted, or saves power, is no fault of the node that is up.
TEST(FabricLossLocalised, is_not_said_of_peers_that_are_down) {
  for (const Reading<bool>& control : {Reading<bool>(false), Reading<bool>(Absent{Why::NotPresent, "not asked"})}) {
    Scene scene = with_peers(10, 3);
    for (std::size_t k = 0; k < 4; ++k) silence(scene, k, control);
    expect_pass(scene.ask(kFabricLossLocalised));
    for (std::size_t k = 4; k < 10; ++k) {
      silence(scene, k, control);
      if (k < 5) continue;
      const Judgement said = scene.ask(kFabricLossLocalised);
      expect_unknown(said, Why::NotPresent);
      EXPECT_NE(said.sentence.find(std::to_string(k + 1) + " of 10 peers answer neither"), std::string::npos);
    }
  }
}

TEST(FabricLossLocalised, is_said_of_silent_peers_that_are_up) {
  Scene scene = with_peers(10, 3);
  for (std::size_t k = 0; k < 8; ++k) silence(scene, k, true);
  expect_fail(scene.ask(kFabricLossLocalised), Severity::Critical,
              "8 of 10 peers lose probes: it lies with this node's");
  silence(scene, 8, false);
  silence(scene, 9, false);
  expect_fail(scene.ask(kFabricLossLocalised), Severity::Critical, "8 of 8 peers");
}

TEST(FabricLossLocalised, does_not_find_this_node_where_many_good_peers_were_left_out) {
  Scene scene = with_peers(6, 3);
  for (std::size_t k = 0; k < 5; ++k) lose(scene, k, 80);
  probes(scene).peers_left_out = 20;
  probes(scene).fine_left_out = {{"mlx5_0", 1, 20, 20'000}};
  expect_unknown(scene.ask(kFabricLossLocalised), Why::NotPresent);
}

TEST(FabricLossLocalised, finds_what_is_behind_this_nodes_switch_and_pairs_of_leaves) {
  Scene behind = with_peers(6, 3);
  for (std::size_t k = 3; k < 6; ++k) lose(behind, k, 40);
  expect_fail(behind.ask(kFabricLossLocalised), Severity::Warning, "behind this node's switch");
  Scene pair = with_peers(9, 3);
  for (std::size_t k = 6; k < 9; ++k) {
    lose(pair, k, 40);
    probes(pair).peers[k].label = "leaf-c";
  }
  expect_fail(pair.ask(kFabricLossLocalised), Severity::Warning, "between leaf-a and leaf-c");
}

TEST(FabricLossLocalised, is_unknown_where_the_loss_has_no_place_in_common) {
  Scene scene = with_peers(6, 3);
  lose(scene, 0, 40);
  lose(scene, 4, 40);
  expect_unknown(scene.ask(kFabricLossLocalised), Why::NotPresent);
}

TEST(FabricLossLocalised, needs_three_peers_with_enough_probes) {
  Scene scene;
  add_peers(scene, 2);
  expect_not_looked_at(scene.ask(kFabricLossLocalised), "not_configured");
  Scene early = with_peers(6, 3);
  for (PeerProbe& peer : probes(early).peers) peer.sent = 10;
  expect_not_looked_at(early.ask(kFabricLossLocalised), "not_configured");
}

TEST(FabricLossLocalised, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricLossLocalised);
  expect_blocked_is_unknown(kFabricLossLocalised);
}

}  // namespace
}  // namespace roceready::rules_test

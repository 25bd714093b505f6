// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(FabricConfigMismatch, is_quiet_among_equals) {
  Scene scene;
  add_digests(scene, 5);
  expect_pass(scene.ask(kFabricConfigMismatch));
}

TEST(FabricConfigMismatch, is_critical_where_this_node_alone_has_other_pfc_priorities) {
  Scene scene;
  add_digests(scene, 5);
  scene.eth0().dcb.pfc->enabled = 1U << 4;
  expect_fail(scene.ask(kFabricConfigMismatch), Severity::Critical,
              "PFC: priority 4 here, priority 3 on 5 of 5 peer ports");
}

TEST(FabricConfigMismatch, is_a_warning_where_this_node_is_as_its_profile_demands) {
  Scene scene;
  add_digests(scene, 5);
  for (std::size_t k = 0; k < 5; ++k) digest(scene, k).pfc_mask = 0U;
  expect_fail(scene.ask(kFabricConfigMismatch), Severity::Warning, "As profile nvidia-lossless demands it is PFC here");
}

TEST(FabricConfigMismatch, between_two_nodes_is_a_warning_of_low_confidence_that_names_the_peer) {
  Scene scene;
  add_digests(scene, 1);
  scene.eth0().dcb.pfc->enabled = 0;
  const Judgement said = scene.ask(kFabricConfigMismatch);
  expect_fail(said, Severity::Warning, "too few nodes to say which is right");
  EXPECT_LT(said.confidence, 0.7);
  EXPECT_EQ(said.subject.peer.value_or(""), "node1:9885");
}

TEST(FabricConfigMismatch, is_quiet_where_the_peers_disagree_among_themselves) {
  Scene scene;
  add_digests(scene, 6);
  scene.eth0().dcb.pfc->enabled = 1U << 4;
  digest(scene, 0).pfc_mask = digest(scene, 1).pfc_mask = 1U << 5;
  expect_pass(scene.ask(kFabricConfigMismatch));
}

TEST(FabricConfigMismatch, finds_another_dscp_map_and_as_a_warning_other_fec) {
  Scene scene;
  add_digests(scene, 5);
  (*scene.eth0().dcb.dscp_to_priority)[26] = 0;
  expect_fail(scene.ask(kFabricConfigMismatch), Severity::Critical, "26 to 0 here, the default on 5 of 5");
  Scene fec;
  add_digests(fec, 5);
  fec.eth0().ethtool.fec->active = std::string("Off");
  for (std::size_t k = 0; k < 5; ++k) digest(fec, k).fec = std::string("RS");
  expect_fail(fec.ask(kFabricConfigMismatch), Severity::Warning, "FEC: Off here, RS on 5 of 5");
}

TEST(FabricConfigMismatch, compares_neither_other_drivers_nor_other_profiles_nor_stale_digests) {
  Scene scene;
  add_digests(scene, 4);
  scene.eth0().dcb.pfc->enabled = 0;
  for (std::size_t k = 0; k < 4; ++k) digest(scene, k).driver = std::string("bnxt_en");
  expect_not_looked_at(scene.ask(kFabricConfigMismatch), "not_configured");
  Scene other;
  add_digests(other, 4);
  other.eth0().dcb.pfc->enabled = 0;
  for (PeerDigest& peer : probes(other).digests) peer.digest.profile = "lossy-ecn";
  expect_not_looked_at(other.ask(kFabricConfigMismatch), "not_configured");
  Scene stale;
  add_digests(stale, 4);
  stale.eth0().dcb.pfc->enabled = 0;
  for (PeerDigest& peer : probes(stale).digests) peer.age_seconds = 301;
  expect_not_looked_at(stale.ask(kFabricConfigMismatch), "not_configured");
}

TEST(FabricConfigMismatch, is_unknown_where_this_node_cannot_be_read) {
  Scene scene;
  add_digests(scene, 5);
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kFabricConfigMismatch), Why::Denied);
}

TEST(FabricConfigMismatch, compares_the_port_that_is_probed_and_not_its_neighbours) {
  Scene scene;
  for (std::size_t k = 1; k <= 4; ++k) {
    const std::string name = "node" + std::to_string(k) + ":9885";
    add_peer(scene, name);
    PortDigest other = add_digest(scene, name);
    other.device = "mlx5_7";
    other.pfc_mask = 0U;
    probes(scene).digests.back().digest.ports.push_back(other);
  }
  expect_pass(scene.ask(kFabricConfigMismatch));
}

TEST(FabricConfigMismatch, compares_nothing_and_does_not_pass_where_peers_tell_only_their_driver) {
  expect_not_looked_at(with_bare_digests().ask(kFabricConfigMismatch), "longer_window");
}

TEST(FabricConfigMismatch, does_not_pass_on_pfc_that_no_peer_tells) {
  Scene scene;
  add_digests(scene, 5);
  for (std::size_t k = 0; k < 5; ++k) digest(scene, k).pfc_mask = denied();
  const Judgement said = scene.ask(kFabricConfigMismatch);
  expect_not_looked_at(said, "longer_window");
  EXPECT_NE(said.sentence.find("PFC"), std::string::npos) << words_of(said);
  digest(scene, 0).pfc_mask = 8U;
  expect_pass(scene.ask(kFabricConfigMismatch));
}

TEST(FabricConfigMismatch, is_undecided_where_one_of_many_peers_tells_the_setting) {
  Scene scene;
  add_digests(scene, 5);
  for (std::size_t k = 1; k < 5; ++k) digest(scene, k).pfc_mask = denied();
  scene.eth0().dcb.pfc->enabled = 0;
  const Judgement said = scene.ask(kFabricConfigMismatch);
  expect_fail(said, Severity::Warning, "too few nodes");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(FabricConfigMismatch, is_unknown_where_nothing_can_be_asked) {
  expect_nobody_told_is_unknown_where_blocked(kFabricConfigMismatch);
}

TEST(FabricConfigMismatch, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricConfigMismatch);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/fabric_scene.h"

namespace roceready::rules_test {
namespace {

/// Peers 0 and 1 of five are paused, and this node's port is full.
Scene with_incast() {
  Scene scene;
  calm_fabric(scene, 5);
  own_digest(scene).rx_line_share = 0.95;
  for (std::size_t k = 0; k < 2; ++k) digest(scene, k).rx_pause_share = 0.05;
  return scene;
}

TEST(FabricIncast, is_quiet_where_nobody_is_full_or_nobody_waits) {
  Scene scene;
  calm_fabric(scene, 5);
  expect_pass(scene.ask(kFabricIncast));
  own_digest(scene).rx_line_share = 0.95;
  expect_pass(scene.ask(kFabricIncast));
}

TEST(FabricIncast, is_info_at_the_full_receiver_and_a_warning_there_after_ten_minutes) {
  Scene scene = with_incast();
  expect_fail(scene.ask(kFabricIncast), Severity::Info, "node1:9885 and node2:9885 are paused");
  const double speed = static_cast<double>(*scene.eth0().ethtool.link_modes->speed_bits_per_second);
  scene.every(10, 62, {{CounterId::RxBytesPhy, 0.97 * speed / 8 * 10}});
  expect_fail(scene.ask(kFabricIncast), Severity::Warning);
  scene.profile().role = Role::StorageTarget;
  for (PeerDigest& peer : probes(scene).digests) peer.digest.role = "storage-target";
  expect_fail(scene.ask(kFabricIncast), Severity::Info, "storage target");
}

TEST(FabricIncast, is_info_at_a_sender_that_waits_and_names_the_receiver) {
  Scene scene;
  calm_fabric(scene, 5);
  own_digest(scene).rx_pause_share = digest(scene, 0).rx_pause_share = 0.05;
  digest(scene, 3).rx_line_share = 0.95;
  const Judgement said = scene.ask(kFabricIncast);
  expect_fail(said, Severity::Info, "node4:9885 receives at least 95 %");
  EXPECT_EQ(said.subject.peer, "node4:9885");
}

TEST(FabricIncast, does_not_blame_a_receiver_that_pauses_others_itself) {
  Scene scene = with_incast();
  own_digest(scene).tx_pause_share = 0.2;  // it is slow, and fabric-pause-source says so
  expect_pass(scene.ask(kFabricIncast));
}

TEST(FabricIncast, is_unknown_where_it_cannot_be_read_how_much_is_received) {
  Scene scene = with_incast();
  own_digest(scene).rx_line_share = denied();
  expect_unknown(scene.ask(kFabricIncast), Why::Denied);
}

TEST(FabricIncast, compares_nothing_with_too_few_nodes_or_with_nodes_that_tell_nothing) {
  Scene few;
  calm_fabric(few, 2);
  expect_not_looked_at(few.ask(kFabricIncast), "not_configured");
  Scene bare = with_bare_digests();
  calm(own_digest(bare));
  expect_not_looked_at(bare.ask(kFabricIncast), "not_configured");
}

TEST(FabricIncast, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricIncast);
  expect_nobody_told_is_unknown_where_blocked(kFabricIncast);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(FabricMtuMismatch, is_quiet_among_equals) {
  Scene scene;
  add_digests(scene, 4);
  expect_pass(scene.ask(kFabricMtuMismatch));
}

TEST(FabricMtuMismatch, is_a_warning_where_this_node_alone_has_another) {
  Scene scene;
  add_digests(scene, 5);
  scene.eth0().link.mtu = 1500U;
  scene.port().active_mtu = 1024U;
  expect_fail(scene.ask(kFabricMtuMismatch), Severity::Warning, "RDMA MTU 1024 here");
}

TEST(FabricMtuMismatch, is_critical_where_longer_frames_are_dropped_here) {
  Scene scene;
  add_digests(scene, 5);
  scene.shows(CounterId::RxOversizePhy);
  scene.eth0().link.mtu = 1500U;
  scene.after(1).after(1, {{CounterId::RxOversizePhy, 50}});
  expect_fail(scene.ask(kFabricMtuMismatch), Severity::Critical, "dropped 50 frames");
}

TEST(FabricMtuMismatch, between_two_nodes_is_a_warning_that_names_the_peer) {
  Scene scene;
  add_digests(scene, 1);
  digest(scene, 0).active_mtu = 1024U;
  const Judgement said = scene.ask(kFabricMtuMismatch);
  expect_fail(said, Severity::Warning, "node1:9885");
  EXPECT_EQ(said.subject.peer.value_or(""), "node1:9885");
}

TEST(FabricMtuMismatch, of_one_odd_peer_is_info_on_all_the_others) {
  Scene scene;
  add_digests(scene, 12);
  digest(scene, 7).active_mtu = 1024U;
  expect_fail(scene.ask(kFabricMtuMismatch), Severity::Info, "Most peers have what this node has");
}

TEST(FabricMtuMismatch, is_unknown_where_this_nodes_mtu_cannot_be_read) {
  Scene scene;
  add_digests(scene, 4);
  scene.port().active_mtu = denied();
  expect_unknown(scene.ask(kFabricMtuMismatch), Why::Denied);
}

TEST(FabricMtuMismatch, compares_nothing_and_does_not_pass_where_peers_tell_only_their_driver) {
  expect_not_looked_at(with_bare_digests().ask(kFabricMtuMismatch), "longer_window");
}

TEST(FabricMtuMismatch, does_not_pass_on_an_rdma_mtu_that_no_peer_tells) {
  Scene scene;
  add_digests(scene, 4);
  for (std::size_t k = 0; k < 4; ++k) digest(scene, k).active_mtu = not_present();
  expect_not_looked_at(scene.ask(kFabricMtuMismatch), "longer_window");
}

TEST(FabricMtuMismatch, is_unknown_where_nothing_can_be_asked) {
  expect_nobody_told_is_unknown_where_blocked(kFabricMtuMismatch);
}

TEST(FabricMtuMismatch, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricMtuMismatch);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/fabric_scene.h"

namespace roceready::rules_test {
namespace {

/// Four peers under this node's switch, four elsewhere. This port lost its carrier three minutes ago.
Scene after_a_loss() {
  Scene scene;
  calm_fabric(scene, 8);
  label(scene, 4);
  scene.every(10, 30);
  scene.after(10, {{CounterId::CarrierDownEvents, 1}});
  scene.every(10, 18);
  return scene;
}

void lost(Scene& scene, std::size_t peer, double ago) {
  probes(scene).digests.at(peer).carrier_lost_seconds_ago["mlx5_0/1"] = ago;
}

TEST(FabricLinkFlapCluster, is_info_where_three_ports_of_a_switch_lost_their_link_together) {
  Scene scene = after_a_loss();
  lost(scene, 0, 170);
  lost(scene, 2, 150);
  expect_fail(scene.ask(kFabricLinkFlapCluster), Severity::Info, "3 of 5 ports under leaf-a lost their link together");
}

TEST(FabricLinkFlapCluster, is_quiet_where_this_link_held_or_lost_it_alone_or_at_another_time) {
  Scene held;
  calm_fabric(held, 8);
  label(held, 4);
  held.every(10, 30);
  for (std::size_t k = 0; k < 3; ++k) lost(held, k, 100);
  expect_pass(held.ask(kFabricLinkFlapCluster));
  Scene alone = after_a_loss();
  expect_pass(alone.ask(kFabricLinkFlapCluster));
  for (std::size_t k = 0; k < 4; ++k) lost(alone, k, 2000);
  expect_pass(alone.ask(kFabricLinkFlapCluster));
  Scene elsewhere = after_a_loss();
  for (std::size_t k = 4; k < 8; ++k) lost(elsewhere, k, 170);
  expect_pass(elsewhere.ask(kFabricLinkFlapCluster));
}

TEST(FabricLinkFlapCluster, is_unknown_where_losses_of_the_carrier_cannot_be_read) {
  Scene scene = after_a_loss();
  scene.hides(CounterId::CarrierDownEvents).after(400);
  scene.every(60, 12);
  const Judgement said = scene.ask(kFabricLinkFlapCluster);
  EXPECT_EQ(said.outcome, Outcome::Unknown) << words_of(said);
}

TEST(FabricLinkFlapCluster, compares_nothing_without_a_label_or_with_too_few_that_count) {
  Scene bare = after_a_loss();
  probes(bare).own.label = "";
  expect_not_looked_at(bare.ask(kFabricLinkFlapCluster), "not_configured");
  Scene few = after_a_loss();
  for (std::size_t k = 0; k < 3; ++k) digest(few, k).carrier_losses = not_present();
  expect_not_looked_at(few.ask(kFabricLinkFlapCluster), "not_configured");
}

TEST(FabricLinkFlapCluster, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricLinkFlapCluster);
  expect_nobody_told_is_unknown_where_blocked(kFabricLinkFlapCluster);
}

}  // namespace
}  // namespace roceready::rules_test

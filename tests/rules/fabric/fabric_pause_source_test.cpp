// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/fabric_scene.h"

namespace roceready::rules_test {
namespace {

/// Peers 0, 1 and 2 of five are paused.
Scene with_victims() {
  Scene scene;
  calm_fabric(scene, 5);
  for (std::size_t k = 0; k < 3; ++k) digest(scene, k).rx_pause_share = 0.05;
  return scene;
}

TEST(FabricPauseSource, is_quiet_where_nobody_is_paused_and_where_no_node_sends_more_pause_than_the_others) {
  Scene quiet;
  calm_fabric(quiet, 5);
  expect_pass(quiet.ask(kFabricPauseSource));
  Scene congested = with_victims();
  own_digest(congested).rx_pause_share = 0.05;
  expect_pass(congested.ask(kFabricPauseSource));
}

TEST(FabricPauseSource, is_a_warning_at_the_one_node_that_pauses_many) {
  Scene scene = with_victims();
  own_digest(scene).tx_pause_share = 0.2;
  expect_fail(scene.ask(kFabricPauseSource), Severity::Warning, "3 of 6 nodes (node1:9885, node2:9885 and node3:9885)");
}

TEST(FabricPauseSource, names_the_source_at_its_victims_as_info) {
  Scene scene = with_victims();
  own_digest(scene).rx_pause_share = 0.01;
  digest(scene, 4).tx_pause_share = 0.5;
  const Judgement said = scene.ask(kFabricPauseSource);
  expect_fail(said, Severity::Info, "node5:9885 pauses the network for at least 50 %");
  EXPECT_EQ(said.subject.peer, "node5:9885");
}

TEST(FabricPauseSource, is_quiet_where_all_pause_alike_and_where_one_alone_is_paused) {
  Scene alike = with_victims();
  own_digest(alike).tx_pause_share = 0.05;
  for (std::size_t k = 0; k < 5; ++k) digest(alike, k).tx_pause_share = 0.05;
  expect_pass(alike.ask(kFabricPauseSource));
  Scene one;
  calm_fabric(one, 5);
  digest(one, 0).rx_pause_share = 0.5;
  own_digest(one).tx_pause_share = 0.5;
  expect_pass(one.ask(kFabricPauseSource));
}

TEST(FabricPauseSource, compares_nothing_with_too_few_nodes_or_with_nodes_that_tell_nothing) {
  Scene few;
  calm_fabric(few, 2);
  expect_not_looked_at(few.ask(kFabricPauseSource), "not_configured");
  Scene bare = with_bare_digests();
  calm(own_digest(bare));
  expect_not_looked_at(bare.ask(kFabricPauseSource), "not_configured");
}

TEST(FabricPauseSource, knows_nothing_before_it_told_of_itself_or_where_its_pause_cannot_be_read) {
  Scene early;
  add_digests(early, 5);
  expect_not_looked_at(early.ask(kFabricPauseSource), "longer_window");
  Scene young;
  calm_fabric(young, 5);
  own_digest(young).tx_pause_share = Absent{Why::NotRecorded, ""};
  expect_not_looked_at(young.ask(kFabricPauseSource), "longer_window");
  Scene never;
  calm_fabric(never, 5);
  own_digest(never).rx_pause_share = not_supported();
  expect_not_looked_at(never.ask(kFabricPauseSource), "never_shown");
  Scene refused;
  calm_fabric(refused, 5);
  own_digest(refused).rx_pause_share = denied();
  expect_unknown(refused.ask(kFabricPauseSource), Why::Denied);
}

TEST(FabricPauseSource, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricPauseSource);
  expect_nobody_told_is_unknown_where_blocked(kFabricPauseSource);
}

}  // namespace
}  // namespace roceready::rules_test

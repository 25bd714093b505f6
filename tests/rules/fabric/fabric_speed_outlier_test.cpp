// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

void set_speed(PortDigest& port, std::uint64_t speed) {
  port.speed_bits_per_second = speed;
}

TEST(FabricSpeedOutlier, is_quiet_among_equals_and_where_this_port_is_the_faster_one) {
  Scene scene;
  add_digests(scene, 4);
  expect_pass(scene.ask(kFabricSpeedOutlier));
  for (std::size_t k = 0; k < 4; ++k) set_speed(digest(scene, k), 10'000'000'000ULL);
  expect_pass(scene.ask(kFabricSpeedOutlier));
}

TEST(FabricSpeedOutlier, is_a_warning_where_this_port_is_slower_than_its_like) {
  Scene scene;
  add_digests(scene, 4);
  for (std::size_t k = 0; k < 4; ++k) set_speed(digest(scene, k), 800'000'000'000ULL);
  expect_fail(scene.ask(kFabricSpeedOutlier), Severity::Warning, "4 of 4 peer ports of this model");
}

TEST(FabricSpeedOutlier, compares_one_model_only_and_needs_four_nodes) {
  Scene scene;
  add_digests(scene, 4);
  for (std::size_t k = 0; k < 4; ++k) set_speed(digest(scene, k), 800'000'000'000ULL);
  for (std::size_t k = 0; k < 2; ++k) digest(scene, k).model = std::string("15b3:1021");
  expect_not_looked_at(scene.ask(kFabricSpeedOutlier), "not_configured");
}

TEST(FabricSpeedOutlier, is_unknown_where_the_speed_cannot_be_read) {
  Scene scene;
  add_digests(scene, 4);
  scene.eth0().ethtool.link_modes->speed_bits_per_second = not_present();
  expect_unknown(scene.ask(kFabricSpeedOutlier), Why::NotPresent);
}

TEST(FabricSpeedOutlier, compares_nothing_and_does_not_pass_where_peers_tell_only_their_driver) {
  expect_not_looked_at(with_bare_digests().ask(kFabricSpeedOutlier), "not_configured");
}

TEST(FabricSpeedOutlier, counts_only_nodes_that_tell_their_speed) {
  Scene scene;
  add_digests(scene, 6);
  for (std::size_t k = 2; k < 6; ++k) digest(scene, k).speed_bits_per_second = not_present();
  expect_not_looked_at(scene.ask(kFabricSpeedOutlier), "not_configured");
}

TEST(FabricSpeedOutlier, is_unknown_where_nothing_can_be_asked) {
  expect_nobody_told_is_unknown_where_blocked(kFabricSpeedOutlier);
}

TEST(FabricSpeedOutlier, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricSpeedOutlier);
}

}  // namespace
}  // namespace roceready::rules_test

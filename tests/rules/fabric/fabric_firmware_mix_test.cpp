// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

Scene mixed() {
  Scene scene;
  add_digests(scene, 5);
  for (std::size_t k = 0; k < 5; ++k) digest(scene, k).firmware = std::string("22.99.1000 (MT_0000000359)");
  return scene;
}

TEST(FabricFirmwareMix, is_quiet_among_equals) {
  Scene scene;
  add_digests(scene, 4);
  expect_pass(scene.ask(kFabricFirmwareMix));
}

TEST(FabricFirmwareMix, is_info_where_it_differs) {
  Scene scene = mixed();
  expect_fail(scene.ask(kFabricFirmwareMix), Severity::Info, "22.99.1000");
}

TEST(FabricFirmwareMix, is_a_warning_where_the_odd_one_is_older_than_the_least_wanted) {
  Scene scene = mixed();
  scene.demands().firmware_min = {"mlx5_core 22.90"};
  expect_fail(scene.ask(kFabricFirmwareMix), Severity::Warning, "older than 22.90");
}

TEST(FabricFirmwareMix, compares_one_model_only) {
  Scene scene = mixed();
  for (std::size_t k = 0; k < 5; ++k) digest(scene, k).model = std::string("15b3:1021");
  expect_not_looked_at(scene.ask(kFabricFirmwareMix), "not_configured");
}

TEST(FabricFirmwareMix, is_unknown_where_the_own_model_is) {
  Scene scene = mixed();
  scene.nic().vendor_device = denied();
  expect_unknown(scene.ask(kFabricFirmwareMix), Why::Denied);
}

TEST(FabricFirmwareMix, compares_nothing_and_does_not_pass_where_peers_tell_only_their_driver) {
  expect_not_looked_at(with_bare_digests().ask(kFabricFirmwareMix), "not_configured");
}

TEST(FabricFirmwareMix, counts_only_nodes_that_tell_their_firmware) {
  Scene scene;
  add_digests(scene, 6);
  for (std::size_t k = 2; k < 6; ++k) digest(scene, k).firmware = not_present();
  expect_not_looked_at(scene.ask(kFabricFirmwareMix), "not_configured");
}

TEST(FabricFirmwareMix, is_unknown_where_nothing_can_be_asked) {
  expect_nobody_told_is_unknown_where_blocked(kFabricFirmwareMix);
}

TEST(FabricFirmwareMix, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricFirmwareMix);
}

}  // namespace
}  // namespace roceready::rules_test

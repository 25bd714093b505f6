// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/mesh.h"

namespace roceready::rules_test {
namespace {

TEST(FabricNicGenerationMix, is_quiet_among_equals) {
  Scene scene;
  add_digests(scene, 2);
  expect_pass(scene.ask(kFabricNicGenerationMix));
}

TEST(FabricNicGenerationMix, is_info_where_another_model_is_talked_to) {
  Scene scene;
  add_digests(scene, 3);
  digest(scene, 1).model = std::string("15b3:1021");
  expect_fail(scene.ask(kFabricNicGenerationMix), Severity::Info, "1 of 3 ports");
}

TEST(FabricNicGenerationMix, is_unknown_where_the_own_model_is) {
  Scene scene;
  add_digests(scene, 2);
  scene.nic().vendor_device = denied();
  expect_unknown(scene.ask(kFabricNicGenerationMix), Why::Denied);
}

TEST(FabricNicGenerationMix, compares_nothing_and_does_not_pass_where_peers_tell_only_their_driver) {
  expect_not_looked_at(with_bare_digests().ask(kFabricNicGenerationMix), "longer_window");
}

TEST(FabricNicGenerationMix, is_unknown_where_nothing_can_be_asked) {
  expect_nobody_told_is_unknown_where_blocked(kFabricNicGenerationMix);
}

TEST(FabricNicGenerationMix, says_why_it_knows_nothing) {
  expect_says_why_it_knows_nothing(kFabricNicGenerationMix);
}

}  // namespace
}  // namespace roceready::rules_test

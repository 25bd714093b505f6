// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PcieMpsMismatch, compares_with_what_the_whole_path_supports) {
  struct Case {
    std::uint32_t size, nic, bridge;
    bool fails;
  };
  for (const Case& c : {Case{128, 512, 512, true}, Case{128, 512, 256, true}, Case{128, 512, 128, false},
                        Case{128, 128, 512, false}, Case{256, 512, 512, false}}) {
    Scene scene;
    scene.nic().max_payload_bytes = c.size;
    scene.nic().max_payload_supported_bytes = c.nic;
    scene.bridge().max_payload_supported_bytes = c.bridge;
    const Judgement said = scene.ask(kPcieMpsMismatch);
    if (c.fails)
      expect_fail(said, Severity::Info, "the whole path supports " + std::to_string(std::min(c.nic, c.bridge)));
    else
      expect_pass(said);
  }
}

TEST(PcieMpsMismatch, is_unknown_when_a_part_of_the_path_is_denied) {
  Scene scene;
  scene.bridge().max_payload_supported_bytes = denied();
  expect_unknown(scene.ask(kPcieMpsMismatch), Why::Denied);
  scene.nic().max_payload_bytes = denied();
  expect_unknown(scene.ask(kPcieMpsMismatch), Why::Denied);
  scene.nic().max_payload_bytes = not_present();
  expect_not_applicable(scene.ask(kPcieMpsMismatch));
}

TEST(PcieMpsMismatch, survives_bridges_in_a_circle) {
  Scene scene;
  scene.bridge().parent = scene.nic().address;
  expect_pass(scene.ask(kPcieMpsMismatch));
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene pfc(std::uint32_t enabled) {
  Scene scene;
  scene.eth0().dcb.pfc->enabled = enabled;
  return scene;
}

TEST(PfcExtraPriorities, is_quiet_with_exactly_the_profiles_set) {
  expect_pass(Scene().ask(kPfcExtraPriorities));
  Scene two = pfc(1U << 3 | 1U << 4);
  two.profile().pfc_priorities = 1U << 3 | 1U << 4;
  expect_pass(two.ask(kPfcExtraPriorities));
}

TEST(PfcExtraPriorities, says_which_are_too_many_and_what_they_do) {
  expect_fail(pfc(0x18).ask(kPfcExtraPriorities), Severity::Warning, "PFC is also on for priority 4");
  expect_fail(pfc(0x38).ask(kPfcExtraPriorities), Severity::Warning, "takes headroom");
  expect_fail(pfc(0x09).ask(kPfcExtraPriorities), Severity::Warning, "Priority 0 is the default class");
  expect_fail(pfc(0xff).ask(kPfcExtraPriorities), Severity::Warning, "All eight are lossless");
}

TEST(PfcExtraPriorities, is_the_only_one_of_the_three_for_a_superset) {
  expect_not_applicable(pfc(0).ask(kPfcExtraPriorities));
  expect_not_applicable(pfc(1U << 4).ask(kPfcExtraPriorities));
  expect_pass(pfc(0xff).ask(kPfcWrongPriority));
  expect_pass(pfc(0xff).ask(kPfcDisabled));
}

TEST(PfcExtraPriorities, is_unknown_when_refused) {
  Scene scene;
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kPfcExtraPriorities), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test

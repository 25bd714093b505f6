// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PfcWrongPriority, names_both_sets) {
  Scene scene;
  scene.eth0().dcb.pfc->enabled = 1U << 4 | 1U << 5;
  expect_fail(scene.ask(kPfcWrongPriority), Severity::Critical,
              "PFC is on for priorities 4 and 5 but not for priority 3");
}

TEST(PfcWrongPriority, fires_when_one_of_two_lossless_priorities_is_missing) {
  Scene scene;
  scene.profile().pfc_priorities = 1U << 3 | 1U << 4;
  expect_fail(scene.ask(kPfcWrongPriority), Severity::Critical, "not for priority 4");
}

TEST(PfcWrongPriority, is_unknown_when_the_setting_is_refused) {
  Scene scene;
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kPfcWrongPriority), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

TEST(PfcSwitchWatchdogUnknown, is_advice_wherever_pfc_is_on) {
  expect_fail(Scene().ask(kPfcSwitchWatchdogUnknown), Severity::Info,
              "check that its PFC watchdog is on for priority 3");
}

TEST(PfcSwitchWatchdogUnknown, does_not_apply_without_pfc) {
  Scene scene;
  scene.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(scene.ask(kPfcSwitchWatchdogUnknown));
}

TEST(PfcSwitchWatchdogUnknown, costs_no_point) {
  Scene scene;
  const ReportPtr report = scene.after(1).report();
  ASSERT_TRUE(report->score);
  EXPECT_DOUBLE_EQ(*report->score, 100);
}

TEST(PfcSwitchWatchdogUnknown, is_unknown_when_refused) {
  Scene scene;
  scene.eth0().dcb.pfc = denied();
  expect_unknown(scene.ask(kPfcSwitchWatchdogUnknown), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene stalling(std::uint32_t milliseconds) {
  Scene scene;
  scene.eth0().ethtool.pfc_stall_limit_ms = milliseconds;
  return scene;
}

TEST(PfcStallWatchdogSlow, is_quiet_up_to_a_second) {
  expect_pass(stalling(100).ask(kPfcStallWatchdogSlow));
  expect_pass(stalling(1000).ask(kPfcStallWatchdogSlow));
}

TEST(PfcStallWatchdogSlow, is_info_as_nics_come_and_a_warning_where_a_watchdog_is_required) {
  expect_fail(stalling(8000).ask(kPfcStallWatchdogSlow), Severity::Info, "it pauses the switch for up to 8000 ms");
  expect_fail(stalling(0).ask(kPfcStallWatchdogSlow), Severity::Info, "without end");
  Scene required = stalling(8000);
  required.profile().nic_watchdog = NicWatchdog::Required;
  expect_fail(required.ask(kPfcStallWatchdogSlow), Severity::Warning, "wants 1000 ms or less.");
}

TEST(PfcStallWatchdogSlow, does_not_apply_without_pfc) {
  Scene scene = stalling(8000);
  scene.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(scene.ask(kPfcStallWatchdogSlow));
}

TEST(PfcStallWatchdogSlow, is_unknown_when_refused_and_not_looked_at_when_never_shown) {
  Scene scene;
  scene.eth0().ethtool.pfc_stall_limit_ms = denied();
  expect_unknown(scene.ask(kPfcStallWatchdogSlow), Why::Denied);
  scene.eth0().ethtool.pfc_stall_limit_ms = not_supported();
  expect_not_looked_at(scene.ask(kPfcStallWatchdogSlow), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test

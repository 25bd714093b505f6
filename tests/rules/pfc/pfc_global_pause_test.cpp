// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

Scene pausing(bool rx, bool tx) {
  Scene scene;
  scene.eth0().ethtool.pause = PauseFacts{false, rx, tx, {}, {}};
  return scene;
}

TEST(PfcGlobalPause, is_quiet_when_off) {
  expect_pass(Scene().ask(kPfcGlobalPause));
}

TEST(PfcGlobalPause, warns_beside_pfc_even_without_a_profile) {
  expect_fail(pausing(true, true).ask(kPfcGlobalPause), Severity::Warning, "together with PFC on priority 3");
  expect_fail(pausing(false, true).profile("").ask(kPfcGlobalPause), Severity::Warning,
              "Sending link-level pause is on");
}

TEST(PfcGlobalPause, warns_in_place_of_the_pfc_that_is_expected) {
  Scene scene = pausing(true, true);
  scene.eth0().dcb.pfc->enabled = 0;
  expect_fail(scene.ask(kPfcGlobalPause), Severity::Warning, "expects PFC on priority 3");
  EXPECT_EQ(scene.fix().at(0).command, "ethtool -A eth0 rx off tx off");
}

TEST(PfcGlobalPause, is_info_while_idle_in_a_lossy_design_and_a_warning_when_it_acts) {
  Scene scene = pausing(true, true);
  scene.profile("lossy-ecn").eth0().dcb.pfc->enabled = 0;
  scene.shows(CounterId::GlobalPauseRxFrames).after(1).after(1);
  expect_fail(scene.ask(kPfcGlobalPause), Severity::Info, "No pause frame was seen");
  scene.after(1, {{CounterId::GlobalPauseRxFrames, 12}});
  expect_fail(scene.ask(kPfcGlobalPause), Severity::Warning, "12 pause frames");
}

TEST(PfcGlobalPause, needs_a_profile_to_judge_a_factory_setting) {
  Scene scene = pausing(true, true);
  scene.profile("").eth0().dcb.pfc->enabled = 0;
  expect_not_looked_at(scene.ask(kPfcGlobalPause), "no_profile");
}

TEST(PfcGlobalPause, is_turned_around_for_designs_that_rely_on_it) {
  Scene scene = pausing(true, false);
  scene.profile().global_pause = GlobalPause::Required;
  expect_fail(scene.ask(kPfcGlobalPause), Severity::Critical, "relies on it");
  EXPECT_EQ(scene.fix().at(0).command, "ethtool -A eth0 rx on tx on");
}

TEST(PfcGlobalPause, is_unknown_when_the_setting_is_refused) {
  Scene scene;
  scene.eth0().ethtool.pause = denied();
  expect_unknown(scene.ask(kPfcGlobalPause), Why::Denied);
}

}  // namespace
}  // namespace roceready::rules_test

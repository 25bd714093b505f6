// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// A pause of `seconds`, then `naks` in the second after it, then quiet.
Scene storm(std::size_t seconds, double naks, double local_drops = 0) {
  Scene scene;
  scene.shows(Id::TxDiscardsPhy).every(1, 90).every(1, seconds, {{Id::PfcRxPauseDuration, 1, 3}});
  scene.after(1, {{Id::PacketSeqErr, naks}, {Id::RxDiscardsPhy, local_drops}}).every(1, 20);
  return scene;
}

TEST(DropSwitchWatchdogSuspected, suspects_the_switch_when_loss_follows_a_pause_that_ended) {
  const Judgement said = storm(4, 300).ask(kDropSwitchWatchdogSuspected);
  expect_fail(said, Severity::Warning, "300 packets were reported missing right after");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(DropSwitchWatchdogSuspected, needs_the_pause_the_end_and_the_burst) {
  expect_pass(storm(4, 0).ask(kDropSwitchWatchdogSuspected));
  expect_pass(storm(4, 5).ask(kDropSwitchWatchdogSuspected));
  expect_pass(storm(1, 300).ask(kDropSwitchWatchdogSuspected));
  Scene lasting;
  lasting.shows(Id::TxDiscardsPhy).every(1, 90).every(1, 30, {{Id::PfcRxPauseDuration, 1, 3}, {Id::PacketSeqErr, 50}});
  expect_pass(lasting.ask(kDropSwitchWatchdogSuspected));
  Scene loss_alone;
  loss_alone.every(1, 90).every(1, 5, {{Id::PacketSeqErr, 300}}).every(1, 20);
  expect_pass(loss_alone.ask(kDropSwitchWatchdogSuspected));
}

TEST(DropSwitchWatchdogSuspected, blames_nobody_else_for_drops_of_this_nic) {
  expect_pass(storm(4, 300, 50).ask(kDropSwitchWatchdogSuspected));
}

TEST(DropSwitchWatchdogSuspected, is_unknown_not_looked_at_or_not_applicable) {
  Scene hidden = storm(0, 0);
  expect_unknown(hidden.hides(Id::PfcRxPauseDuration).after(1).ask(kDropSwitchWatchdogSuspected), Why::NotPresent);
  Scene never = storm(0, 0);
  expect_not_looked_at(never.never_shows({Id::PfcRxPauseDuration}).after(1).ask(kDropSwitchWatchdogSuspected),
                       "never_shown");
  Scene off;
  off.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(off.after(1).ask(kDropSwitchWatchdogSuspected));
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Five minutes with pause for `share` of the time, RDMA traffic, and this many marks every ten seconds.
Scene paused(double share, double marks, double packets = 1e6) {
  Scene scene;
  scene.every(10, 31,
              {{Id::PfcRxPauseDuration, 10 * share, 3}, {Id::EcnMarkedRx, marks}, {Id::RdmaRxPackets, packets}});
  return scene;
}

TEST(EcnPauseWithoutMarks, is_a_hint_from_one_node) {
  const Judgement said = paused(0.02, 0).ask(kEcnPauseWithoutMarks);
  expect_fail(said, Severity::Info, "was paused for 2 % of the last 5 min, and none of 30000000 RDMA packets");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(EcnPauseWithoutMarks, is_quiet_with_a_mark_or_without_pause) {
  expect_pass(paused(0.02, 1).ask(kEcnPauseWithoutMarks));
  expect_pass(paused(0.0005, 0).ask(kEcnPauseWithoutMarks));
}

TEST(EcnPauseWithoutMarks, does_not_miss_marks_among_few_packets) {
  expect_not_looked_at(paused(0.02, 0, 100).ask(kEcnPauseWithoutMarks), "longer_window");
}

TEST(EcnPauseWithoutMarks, does_not_apply_without_marking_or_without_pfc) {
  Scene scene = paused(0.02, 0);
  scene.profile().ecn = Ecn::Off;
  expect_not_applicable(scene.ask(kEcnPauseWithoutMarks));
  Scene off;
  off.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(off.after(1).ask(kEcnPauseWithoutMarks));
}

TEST(EcnPauseWithoutMarks, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::EcnMarkedRx).after(1).ask(kEcnPauseWithoutMarks), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::PfcRxPauseDuration}).after(1).ask(kEcnPauseWithoutMarks),
                       "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test

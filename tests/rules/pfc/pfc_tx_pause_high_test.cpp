// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Ten seconds in which we paused the switch for `share` of the time and received at `load` of 100 Gbit/s.
std::vector<Growth> pausing(double share, double load) {
  return {{Id::PfcTxPauseDuration, 10 * share, 3}, {Id::RxBytesPhy, 10 * load * 12.5e9}};
}

TEST(PfcTxPauseHigh, takes_the_level_that_held_below_line_rate) {
  struct Case {
    double share, load;
    Outcome outcome;
    Severity severity;
  };
  for (const Case& c : {Case{0.0005, 0.3, Outcome::Pass, {}}, Case{0.01, 0.3, Outcome::Fail, Severity::Warning},
                        Case{0.2, 0.3, Outcome::Fail, Severity::Critical}, Case{0.2, 0.95, Outcome::Pass, {}}}) {
    Scene scene;
    scene.every(10, 31, pausing(c.share, c.load));
    const Judgement said = scene.ask(kPfcTxPauseHigh);
    EXPECT_EQ(said.outcome, c.outcome) << words_of(said);
    if (c.outcome == Outcome::Fail) expect_fail(said, c.severity, "This host paused the switch on priority 3 for");
  }
}

TEST(PfcTxPauseHigh, is_info_in_a_one_shot) {
  Scene scene;
  scene.every(1, 2, {{Id::PfcTxPauseDuration, 0.1, 3}, {Id::RxBytesPhy, 1e9}});
  expect_fail(scene.ask(kPfcTxPauseHigh), Severity::Info, "10 % of the last 2 s; that is not sustained yet");
}

TEST(PfcTxPauseHigh, is_less_sure_without_the_receive_rate) {
  Scene scene;
  scene.never_shows({Id::RxBytesPhy}).every(10, 31, {{Id::PfcTxPauseDuration, 1, 3}});
  const Judgement said = scene.ask(kPfcTxPauseHigh);
  expect_fail(said, Severity::Critical, "is not known");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(PfcTxPauseHigh, is_unknown_or_not_looked_at_without_the_counter) {
  Scene hidden;
  hidden.hides(Id::PfcTxPauseDuration).after(1);
  expect_unknown(hidden.ask(kPfcTxPauseHigh), Why::NotPresent);
  Scene never;
  never.never_shows({Id::PfcTxPauseDuration, Id::PfcTxPauseFrames}).after(1);
  expect_not_looked_at(never.ask(kPfcTxPauseHigh), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(PfcStormTx, believes_the_nics_own_counters) {
  struct Case {
    double warnings, errors;
    Severity severity;
  };
  for (const Case& c :
       {Case{1, 0, Severity::Warning}, Case{3, 0, Severity::Critical}, Case{1, 1, Severity::Critical}}) {
    Scene scene;
    scene.every(1, 10).after(1, {{Id::TxPauseStormWarning, c.warnings}, {Id::TxPauseStormError, c.errors}});
    expect_fail(scene.ask(kPfcStormTx), c.severity, "paused the switch without end");
  }
}

TEST(PfcStormTx, counters_of_priority_0_prove_nothing_for_another) {
  Scene scene;
  scene.every(1, 12, {{Id::PfcTxPauseDuration, 0.9, 3}});
  expect_fail(scene.ask(kPfcStormTx), Severity::Critical, "paused the switch on priority 3");
  Scene quiet;
  expect_pass(quiet.every(1, 12).ask(kPfcStormTx));
}

TEST(PfcStormTx, that_the_nic_counts_is_that_of_the_priority_which_alone_was_paused) {
  Scene scene;
  scene.every(1, 12, {{Id::PfcTxPauseDuration, 0.9, 3}});
  const Judgement before = scene.ask(kPfcStormTx);
  scene.after(1, {{Id::TxPauseStormError, 1}, {Id::PfcTxPauseDuration, 0.9, 3}});
  const Judgement counted = scene.ask(kPfcStormTx);
  expect_fail(counted, Severity::Critical, "1 stall past its time limit");
  EXPECT_EQ(counted.subject, before.subject) << "one storm, one incident";
  // Two were paused: the counters may be of the one, and the other stands as well.
  Scene both;
  both.eth0().dcb.pfc->enabled |= 1;
  both.shows(Id::PfcTxPauseDuration, 0);
  both.every(1, 12, {{Id::PfcTxPauseDuration, 0.9, 3}, {Id::PfcTxPauseDuration, 0.9, 0}});
  both.after(1, {{Id::TxPauseStormError, 1}, {Id::PfcTxPauseDuration, 0.9, 3}, {Id::PfcTxPauseDuration, 0.9, 0}});
  const std::vector<Judgement> said = both.judge(kPfcStormTx);
  ASSERT_EQ(said.size(), 2U);
  expect_fail(said[0], Severity::Critical, "paused the switch without end");
  expect_fail(said[1], Severity::Critical, "paused the switch on priority 3");
}

TEST(PfcStormTx, is_over_half_a_minute_after_the_last_event_and_three_marks_need_no_half_minute) {
  Scene scene;
  scene.daemon().every(1, 10).after(1, {{Id::TxPauseStormError, 1}}).every(1, 25);
  expect_fail(scene.ask(kPfcStormTx), Severity::Critical, "1 stall past its time limit");
  expect_pass(scene.every(1, 10).ask(kPfcStormTx));
  Scene marks;
  marks.daemon().every(1, 10);
  for (int i = 0; i < 3; ++i) marks.every(1, 60).after(1, {{Id::TxPauseStormWarning, 1}});
  expect_fail(marks.ask(kPfcStormTx), Severity::Critical, "3 stall warnings");
  expect_fail(marks.every(1, 40).ask(kPfcStormTx), Severity::Critical, "3 stall warnings");
  Scene once;
  once.every(1, 10).after(1, {{Id::TxPauseStormError, 1}}).every(1, 100);
  expect_fail(once.ask(kPfcStormTx), Severity::Critical, "1 stall past its time limit");
}

TEST(PfcStormTx, one_storm_counter_that_cannot_be_read_leaves_the_durations) {
  Scene scene;
  scene.never_shows({Id::PfcTxPauseDuration}).hides(Id::TxPauseStormError).every(1, 12);
  EXPECT_NE(scene.ask(kPfcStormTx).outcome, Outcome::Pass);
}

TEST(PfcStormTx, needs_as_long_as_the_nic_takes_to_notice) {
  Scene scene;
  scene.eth0().dcb.pfc->enabled = 0;
  scene.profile("lfc-simple").every(1, 2);
  expect_not_looked_at(scene.ask(kPfcStormTx), "longer_window");
  scene.every(1, 10);
  expect_pass(scene.ask(kPfcStormTx));
}

TEST(PfcStormTx, falls_back_to_durations_for_other_nics) {
  Scene scene;
  scene.never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError});
  scene.every(1, 2, {{Id::PfcTxPauseDuration, 0.9, 3}});
  const Judgement said = scene.ask(kPfcStormTx);
  expect_fail(said, Severity::Critical, "This host paused the switch on priority 3 for 90 % of the last 2 s");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
  scene.every(1, 2, {{Id::PfcTxPauseDuration, 0.9, 3}, {Id::RxBytesPriority, 1e9, 3}});
  expect_fail(scene.ask(kPfcStormTx), Severity::Warning, "It stopped 2 s ago.");
  expect_pass(scene.daemon().ask(kPfcStormTx));
}

TEST(PfcStormTx, mentions_broadcoms_long_pauses_and_calls_them_no_storm) {
  Scene scene;
  scene.never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError}).shows(Id::ContinuousRocePauseEvents);
  scene.every(1, 3, {{Id::ContinuousRocePauseEvents, 2}});
  const std::vector<Judgement> said = scene.judge(kPfcStormTx);
  ASSERT_EQ(said.size(), 2U);
  expect_fail(said[0], Severity::Info, "counted 6 long pauses");
  expect_pass(said[1]);
}

TEST(PfcStormTx, is_one_storm_over_a_short_break) {
  Scene scene;
  scene.daemon().never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError});
  scene.every(1, 3, {{Id::PfcTxPauseDuration, 0.9, 3}}).after(1);
  expect_fail(scene.ask(kPfcStormTx), Severity::Critical, "It stopped 1 s ago.");
  expect_pass(scene.after(1).ask(kPfcStormTx));
}

TEST(PfcStormTx, that_is_over_is_told_to_who_asks_once) {
  Scene scene;
  scene.never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError});
  scene.every(1, 60, {{Id::PfcTxPauseDuration, 0.9, 3}}).every(1, 20, {{Id::RxBytesPriority, 1e9, 3}});
  expect_fail(scene.ask(kPfcStormTx), Severity::Warning,
              "for at least 60 s (90 % of that time) and received next to nothing on it. It stopped 20 s ago.");
}

TEST(PfcStormTx, needs_two_seconds_of_durations_and_says_how_long_a_storm_is) {
  Scene scene;
  scene.never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError});
  scene.after(1, {{Id::RxBytesPriority, 1e10, 3}}).every(0.2, 5, {{Id::PfcTxPauseDuration, 0.18, 3}});
  expect_fail(scene.ask(kPfcStormTx), Severity::Info, "too short to call it a storm");
  scene.every(1, 180, {{Id::PfcTxPauseDuration, 0.9, 3}});
  expect_fail(scene.ask(kPfcStormTx), Severity::Critical, "for at least 2.93 min (90 % of that time)");
  expect_fail(scene.limit("pfc-storm-tx.samples", 60).ask(kPfcStormTx), Severity::Critical);
}

TEST(PfcStormTx, is_judged_under_every_roce_profile_and_without_one) {
  for (const char* profile : {"lossy-ecn", "semi-lossless", "lfc-simple", "meta-pfc-only", ""}) {
    SCOPED_TRACE(profile);
    Scene counted;
    counted.profile(profile).eth0().dcb.pfc->enabled = 0;
    counted.every(1, 10).after(1, {{Id::TxPauseStormError, 1}});
    expect_fail(counted.ask(kPfcStormTx), Severity::Critical, "1 stall past its time limit");
    Scene timed;
    timed.profile(profile).never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError});
    timed.every(1, 2, {{Id::PfcTxPauseDuration, 0.9, 3}});
    expect_fail(timed.ask(kPfcStormTx), Severity::Critical, "paused the switch on priority 3");
  }
  EXPECT_EQ(kPfcStormTx.modes, kRoceModes);
}

TEST(PfcStormTx, judges_a_priority_that_the_profile_does_not_know) {
  Scene scene;
  scene.never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError});
  scene.eth0().dcb.pfc->enabled = 1U << 5U;
  scene.shows(Id::PfcTxPauseDuration, 5).every(1, 2, {{Id::PfcTxPauseDuration, 0.9, 5}});
  const std::vector<Judgement> said = scene.judge(kPfcStormTx);
  ASSERT_EQ(said.size(), 2U);
  expect_not_applicable(said[0]);  // PFC is off on the profile's own
  expect_fail(said[1], Severity::Critical, "on priority 5");
}

TEST(PfcStormTx, is_not_looked_at_when_nothing_of_it_is_ever_shown_and_unknown_when_hidden) {
  Scene never;
  never.never_shows({Id::TxPauseStormWarning, Id::TxPauseStormError, Id::PfcTxPauseDuration}).after(1);
  expect_not_looked_at(never.ask(kPfcStormTx), "never_shown");
  Scene hidden;
  hidden.hides(Id::TxPauseStormWarning).hides(Id::TxPauseStormError).hides(Id::PfcTxPauseDuration).after(1);
  expect_unknown(hidden.ask(kPfcStormTx), Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// Ten-second samples in which priority 3 was paused for `share` of the time and sent something.
std::vector<Growth> paused(double share) {
  return {{Id::PfcRxPauseDuration, 10 * share, 3}, {Id::TxBytesPriority, 1e9, 3}};
}

TEST(PfcRxPauseHigh, takes_the_level_that_held_in_three_of_five_minutes) {
  struct Case {
    double share;
    Outcome outcome;
    Severity severity;
  };
  for (const Case& c : {Case{0.0005, Outcome::Pass, {}}, Case{0.005, Outcome::Fail, Severity::Info},
                        Case{0.05, Outcome::Fail, Severity::Warning}, Case{0.5, Outcome::Fail, Severity::Critical}}) {
    Scene scene;
    scene.every(10, 31, paused(c.share));
    const Judgement said = scene.ask(kPfcRxPauseHigh);
    EXPECT_EQ(said.outcome, c.outcome) << words_of(said);
    if (c.outcome == Outcome::Fail) expect_fail(said, c.severity, "Priority 3 was paused by the peer for");
    EXPECT_EQ(said.subject.priority, 3);
  }
}

TEST(PfcRxPauseHigh, says_with_numbers_how_long_it_held) {
  Scene scene;
  scene.every(10, 31, paused(0.123));
  const Judgement said = scene.ask(kPfcRxPauseHigh);
  expect_fail(said, Severity::Warning, "for 12.3 % of the last 60 s, and for at least 1 % in 5 of the last 5 minutes.");
  EXPECT_TRUE(said.derived_threshold);
}

TEST(PfcRxPauseHigh, is_info_in_a_one_shot) {
  Scene scene;
  scene.after(1, {{Id::PfcRxPauseDuration, 0.3, 3}, {Id::TxBytesPriority, 1e6, 3}});
  scene.after(1, {{Id::PfcRxPauseDuration, 0.3, 3}, {Id::TxBytesPriority, 1e6, 3}});
  expect_fail(scene.ask(kPfcRxPauseHigh), Severity::Info, "30 % of the last 2 s; that is not sustained yet");
}

TEST(PfcRxPauseHigh, takes_the_profiles_limit_unless_the_user_set_one) {
  Scene scene;
  scene.every(10, 31, paused(0.03));
  scene.profile().pause_warn = 0.05;
  expect_fail(scene.ask(kPfcRxPauseHigh), Severity::Info,
              "3 % of the last 60 s; from 5 % of three minutes in five it is a warning.");
  // The default of the rule, but said by the user.
  expect_fail(scene.limit("pfc-rx-pause-high.warn", 0.01).ask(kPfcRxPauseHigh), Severity::Warning);
  expect_fail(scene.limit("pfc-rx-pause-high.warn", 0.02).ask(kPfcRxPauseHigh), Severity::Warning);
}

TEST(PfcRxPauseHigh, says_nothing_of_a_priority_that_had_nothing_to_send) {
  Scene scene;
  scene.every(1, 2, {{Id::PfcRxPauseDuration, 0.3, 3}});
  expect_not_looked_at(scene.ask(kPfcRxPauseHigh), "longer_window");
}

TEST(PfcRxPauseHigh, says_nothing_of_minutes_without_demand_however_many) {
  const std::vector<Growth> idle = {{Id::PfcRxPauseDuration, 5, 3}};
  Scene scene;
  expect_not_looked_at(scene.every(10, 31, idle).ask(kPfcRxPauseHigh), "longer_window");
  // Two busy minutes of five are not sustained.
  scene.every(10, 12, paused(0.5));
  expect_fail(scene.ask(kPfcRxPauseHigh), Severity::Info, "that is not sustained yet");
  scene.every(10, 6, paused(0.5));
  expect_fail(scene.ask(kPfcRxPauseHigh), Severity::Critical, "in 3 of the last 5 minutes");
  // Idle at last: what was sustained is told, with the pause of the last minute as measured.
  scene.every(10, 12, idle);
  expect_fail(scene.ask(kPfcRxPauseHigh), Severity::Critical, "for 50 % of the last 60 s");
}

TEST(PfcRxPauseHigh, takes_answers_that_do_not_come_for_demand) {
  Scene scene;
  scene.every(10, 31, {{Id::PfcRxPauseDuration, 5, 3}, {Id::LocalAckTimeout, 1}});
  expect_fail(scene.ask(kPfcRxPauseHigh), Severity::Critical, "Priority 3 was paused by the peer for");
}

TEST(PfcRxPauseHigh, counts_every_minute_where_demand_is_not_shown) {
  const std::vector<Growth> idle = {{Id::PfcRxPauseDuration, 5, 3}};
  Scene hidden, never;
  hidden.hides(Id::TxBytesPriority).every(10, 31, idle);
  expect_fail(hidden.ask(kPfcRxPauseHigh), Severity::Critical);
  never.never_shows({Id::TxBytesPriority, Id::TxPacketsPriority}).every(10, 31, idle);
  expect_fail(never.ask(kPfcRxPauseHigh), Severity::Critical);
  Scene packets;
  packets.never_shows({Id::TxBytesPriority}).every(10, 31, idle);
  expect_not_looked_at(packets.ask(kPfcRxPauseHigh), "longer_window");
}

TEST(PfcRxPauseHigh, does_not_mistake_an_hour_ago_or_a_big_total_for_now) {
  Scene scene;
  scene.every(10, 31, paused(0.5)).every(10, 31);
  expect_pass(scene.ask(kPfcRxPauseHigh));
}

TEST(PfcRxPauseHigh, knows_an_upper_bound_where_only_frames_are_counted) {
  Scene scene;
  scene.never_shows({Id::PfcRxPauseDuration});
  // One frame pauses for at most 335.5 µs at 100 Gbit/s, so 1000 in 10 s are at most 3.4 %.
  scene.every(10, 31, {{Id::PfcRxPauseFrames, 1000, 3}, {Id::TxBytesPriority, 1e9, 3}});
  const Judgement said = scene.ask(kPfcRxPauseHigh);
  expect_fail(said, Severity::Info, "at most 3.36 %");
  EXPECT_DOUBLE_EQ(said.confidence, 0.4);
  scene.every(10, 31);
  expect_pass(scene.ask(kPfcRxPauseHigh));
}

TEST(PfcRxPauseHigh, is_unknown_or_not_looked_at_without_the_counter) {
  Scene hidden;
  hidden.hides(Id::PfcRxPauseDuration).after(1);
  expect_unknown(hidden.ask(kPfcRxPauseHigh), Why::NotPresent);
  Scene never;
  never.never_shows({Id::PfcRxPauseDuration, Id::PfcRxPauseFrames}).after(1);
  expect_not_looked_at(never.ask(kPfcRxPauseHigh), "never_shown");
  Scene off;
  off.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(off.after(1).ask(kPfcRxPauseHigh));
}

TEST(PfcRxPauseHigh, is_not_ruled_out_by_an_average_over_the_minutes) {
  const auto averaged = [](double seconds) {
    Scene scene;
    scene.after(300, {{CounterId::PfcRxPauseDuration, seconds, 3}})
        .after(300, {{CounterId::PfcRxPauseDuration, seconds, 3}});
    return scene;
  };
  expect_not_looked_at(averaged(0.1).ask(kPfcRxPauseHigh), "longer_window");
  expect_pass(averaged(0).ask(kPfcRxPauseHigh));
}

}  // namespace
}  // namespace roceready::rules_test

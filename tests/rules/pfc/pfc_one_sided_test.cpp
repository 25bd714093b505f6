// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(PfcOneSided, is_quiet_while_the_switch_obeys) {
  Scene scene;
  scene.every(10, 31,
              {{Id::PfcTxPauseFrames, 1000, 3}, {Id::PfcTxPauseDuration, 5, 3}, {Id::RxBytesPriority, 40e9, 3}});
  expect_pass(scene.ask(kPfcOneSided));
}

TEST(PfcOneSided, fires_when_the_buffer_drops_while_pause_is_sent) {
  Scene scene;
  scene.every(10, 31, {{Id::PfcTxPauseFrames, 1000, 3}, {Id::RxDiscardsPriority, 7, 1}});
  expect_fail(scene.ask(kPfcOneSided), Severity::Critical,
              "sent 6000 pause frames for priority 3 in the last minute, and the switch goes on sending: 42 packets "
              "dropped in its receive buffer.");
}

TEST(PfcOneSided, fires_when_more_arrives_than_fits_between_the_pauses) {
  Scene scene;
  // Paused for half of the time at 100 Gbit/s, at most 62.5 GB can arrive in ten seconds.
  scene.every(10, 31,
              {{Id::PfcTxPauseFrames, 1000, 3}, {Id::PfcTxPauseDuration, 5, 3}, {Id::RxBytesPriority, 100e9, 3}});
  const Judgement said = scene.ask(kPfcOneSided);
  expect_fail(said, Severity::Critical, "80 Gbit/s received, more than fits between the pauses.");
  EXPECT_DOUBLE_EQ(said.confidence, 0.7);
}

TEST(PfcOneSided, does_not_blame_the_switch_for_drops_without_pause_or_of_another_buffer) {
  Scene silent;
  expect_pass(silent.every(10, 31, {{Id::RxDiscardsPriority, 7, 1}}).ask(kPfcOneSided));
  Scene other;
  other.every(10, 31, {{Id::PfcTxPauseFrames, 1000, 3}, {Id::RxDiscardsPriority, 7, 0}});
  expect_pass(other.ask(kPfcOneSided));
}

TEST(PfcOneSided, is_not_sure_where_the_buffer_may_serve_lossy_priorities) {
  Scene shared;
  shared.eth0().dcb.buffers->priority_to_buffer = {1, 1, 1, 1, 1, 1, 1, 1};
  shared.every(10, 31, {{Id::PfcTxPauseFrames, 1000, 3}, {Id::RxDiscardsPriority, 7, 1}});
  expect_fail(shared.ask(kPfcOneSided), Severity::Critical, "that may serve lossy classes too");
  EXPECT_LT(shared.ask(kPfcOneSided).confidence, 0.7);
  // That the switch sends on although it is paused needs no drops.
  Scene both;
  both.eth0().dcb.buffers = denied();
  both.shows(Id::RxDiscardsPriority, 3);
  both.every(10, 31,
             {{Id::PfcTxPauseFrames, 1000, 3},
              {Id::PfcTxPauseDuration, 5, 3},
              {Id::RxBytesPriority, 100e9, 3},
              {Id::RxDiscardsPriority, 7, 3}});
  EXPECT_DOUBLE_EQ(both.ask(kPfcOneSided).confidence, 0.7);
  Scene unread;
  unread.eth0().dcb.buffers = denied();
  unread.shows(Id::RxDiscardsPriority, 3);
  unread.every(10, 31, {{Id::PfcTxPauseFrames, 1000, 3}, {Id::RxDiscardsPriority, 7, 3}});
  EXPECT_LT(unread.ask(kPfcOneSided).confidence, 0.7);
}

TEST(PfcOneSided, is_not_sure_where_only_the_whole_port_counts_drops) {
  Scene scene;
  scene.never_shows({Id::RxDiscardsPriority});
  scene.every(10, 31, {{Id::PfcTxPauseFrames, 1000, 3}, {Id::RxDiscardsPhy, 7}});
  const Judgement said = scene.ask(kPfcOneSided);
  expect_fail(said, Severity::Critical, "perhaps of another class");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(PfcOneSided, is_info_until_it_lasts) {
  Scene scene;
  scene.after(1, {{Id::PfcTxPauseFrames, 1000, 3}, {Id::RxDiscardsPriority, 7, 1}});
  expect_fail(scene.ask(kPfcOneSided), Severity::Info, "not sustained yet");
}

TEST(PfcOneSided, is_unknown_or_not_looked_at_without_its_counters) {
  expect_unknown(Scene().hides(Id::PfcTxPauseFrames).after(1).ask(kPfcOneSided), Why::NotPresent);
  expect_unknown(Scene().hides(Id::PfcTxPauseDuration).after(1).ask(kPfcOneSided), Why::NotPresent);
  expect_unknown(Scene().hides(Id::RxDiscardsPriority).after(1).ask(kPfcOneSided), Why::NotPresent);
  expect_not_looked_at(Scene().never_shows({Id::PfcTxPauseFrames}).after(1).ask(kPfcOneSided), "never_shown");
}

}  // namespace
}  // namespace roceready::rules_test

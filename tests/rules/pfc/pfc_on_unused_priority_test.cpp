// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

/// A NIC that counts the pause frames of every priority.
Scene counting_all() {
  Scene scene;
  for (std::uint8_t p = 0; p < kPriorities; ++p)
    if (p != 3) scene.shows(Id::PfcRxPauseFrames, p).shows(Id::PfcTxPauseFrames, p);
  return scene;
}

TEST(PfcOnUnusedPriority, is_quiet_while_only_roce_is_paused) {
  expect_pass(counting_all().every(10, 31, {{Id::PfcRxPauseFrames, 1e5, 3}}).ask(kPfcOnUnusedPriority));
}

TEST(PfcOnUnusedPriority, fires_when_it_lasts) {
  expect_fail(counting_all().every(10, 31, {{Id::PfcRxPauseFrames, 50, 4}}).ask(kPfcOnUnusedPriority),
              Severity::Warning, "300 pause frames received for priority 4 in the last minute.");
  expect_fail(counting_all().every(10, 31, {{Id::PfcTxPauseFrames, 50, 0}}).ask(kPfcOnUnusedPriority),
              Severity::Warning, "sent for priority 0");
  expect_fail(counting_all().after(1, {{Id::PfcRxPauseFrames, 5, 4}}).ask(kPfcOnUnusedPriority), Severity::Info,
              "not sustained yet");
}

TEST(PfcOnUnusedPriority, takes_any_priority_in_a_lossy_design) {
  Scene scene = counting_all();
  scene.profile("lossy-ecn").every(10, 31, {{Id::PfcRxPauseFrames, 50, 3}});
  expect_fail(scene.ask(kPfcOnUnusedPriority), Severity::Warning, "priority 3");
}

TEST(PfcOnUnusedPriority, knows_that_mlx5_hides_counters_of_priorities_without_pfc) {
  expect_pass(Scene().every(10, 31).ask(kPfcOnUnusedPriority));
  Scene on;
  on.eth0().dcb.pfc->enabled = 0x18;  // then priority 4's must be there
  expect_unknown(on.every(10, 31).ask(kPfcOnUnusedPriority), Why::NotPresent);
}

TEST(PfcOnUnusedPriority, suspects_pause_that_only_the_mac_counts) {
  Scene scene;
  scene.every(10, 31, {{Id::MacPauseRxFrames, 50}});
  const Judgement said = scene.ask(kPfcOnUnusedPriority);
  expect_fail(said, Severity::Warning,
              "received 300 pause frames in the last minute, none for a priority whose PFC is");
  EXPECT_DOUBLE_EQ(said.confidence, 0.4);
  Scene ours;
  ours.every(10, 31, {{Id::MacPauseRxFrames, 50}, {Id::PfcRxPauseFrames, 50, 3}});
  expect_pass(ours.ask(kPfcOnUnusedPriority));
  Scene without_pfc;
  without_pfc.eth0().dcb.pfc->enabled = 0;
  without_pfc.hides(Id::PfcRxPauseFrames).hides(Id::PfcTxPauseFrames).profile("semi-lossless");
  expect_pass(without_pfc.every(10, 31, {{Id::MacPauseRxFrames, 50}}).ask(kPfcOnUnusedPriority));
  Scene link_pause;
  link_pause.eth0().ethtool.pause->rx = true;
  link_pause.every(10, 31, {{Id::MacPauseRxFrames, 50}});
  expect_pass(link_pause.ask(kPfcOnUnusedPriority));
  link_pause.eth0().ethtool.pause = denied();
  link_pause.every(10, 31, {{Id::MacPauseRxFrames, 50}});
  expect_unknown(link_pause.ask(kPfcOnUnusedPriority), Why::Denied);
  Scene unread;  // and nothing to explain
  unread.eth0().ethtool.pause = denied();
  expect_pass(unread.every(10, 31).ask(kPfcOnUnusedPriority));
}

TEST(PfcOnUnusedPriority, counts_a_traffic_class_once_on_intel) {
  Scene scene = counting_all();
  scene.eth0().ethtool.driver->driver = "ice";
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 1, 1, 0, 0, 0};
  expect_pass(scene.every(10, 31, {{Id::PfcRxPauseFrames, 50, 4}}).ask(kPfcOnUnusedPriority));
}

TEST(PfcOnUnusedPriority, tells_equal_counts_of_another_class_as_one_on_intel) {
  Scene scene = counting_all();
  scene.eth0().ethtool.driver->driver = "ice";
  scene.eth0().dcb.ets->priority_to_class = {0, 0, 0, 1, 1, 0, 0, 0};
  scene.every(10, 31, {{Id::PfcTxPauseFrames, 50, 5}, {Id::PfcTxPauseFrames, 50, 6}, {Id::PfcTxPauseFrames, 50, 7}});
  const Judgement said = scene.ask(kPfcOnUnusedPriority);
  expect_fail(said, Severity::Warning, "sent for priorities 5, 6 and 7 (one count, as of one traffic class)");
}

TEST(PfcOnUnusedPriority, is_not_looked_at_where_frames_are_not_counted_by_priority) {
  Scene scene;
  scene.never_shows({Id::PfcRxPauseFrames, Id::PfcTxPauseFrames}).after(1);
  expect_not_looked_at(scene.ask(kPfcOnUnusedPriority), "never_shown");
  expect_not_looked_at(Scene().profile("").ask(kPfcOnUnusedPriority), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test

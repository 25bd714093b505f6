// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene looping() {
  Scene scene;
  scene.daemon().shows(Id::VportLoopbackPackets);
  return scene;
}

/// One second of traffic of which this share stays inside the NIC, while it pauses for `paused` of the time.
std::vector<Growth> second(double share, double paused, double packets = 1e6) {
  return {
      {Id::RdmaTxPackets, packets}, {Id::VportLoopbackPackets, packets * share}, {Id::PfcTxPauseDuration, paused, 3}};
}

TEST(HostLoopbackRdma, is_quiet_after_minutes_without_loopback) {
  expect_pass(looping().every(1, 300, second(0, 0.02)).ask(kHostLoopbackRdma));
  expect_pass(looping().every(1, 300, second(0.1, 0.02)).ask(kHostLoopbackRdma));
}

TEST(HostLoopbackRdma, warns_when_it_lasts_while_the_nic_pauses) {
  const Judgement said = looping().every(1, 300, second(0.3, 0.02)).ask(kHostLoopbackRdma);
  expect_fail(said, Severity::Warning, "30 % of the RDMA packets that eth0 sent");
  EXPECT_TRUE(said.derived_threshold);
  EXPECT_EQ(said.confidence, 0.7);
}

TEST(HostLoopbackRdma, is_info_while_it_has_not_lasted) {
  Scene scene = looping();
  scene.every(1, 240, second(0, 0)).every(1, 60, second(0.5, 0.02));
  expect_fail(scene.ask(kHostLoopbackRdma), Severity::Info, "not sustained yet");
}

TEST(HostLoopbackRdma, does_not_mind_loopback_without_pause) {
  expect_pass(looping().every(1, 300, second(0.9, 0)).ask(kHostLoopbackRdma));
}

TEST(HostLoopbackRdma, does_not_judge_shares_of_little_traffic) {
  expect_pass(looping().every(1, 300, second(0.9, 0.02, 1000)).ask(kHostLoopbackRdma));
}

TEST(HostLoopbackRdma, asks_for_a_longer_window_in_a_one_shot) {
  Scene scene;
  scene.shows(Id::VportLoopbackPackets).after(1).after(1);
  expect_not_looked_at(scene.ask(kHostLoopbackRdma), "longer_window");
}

TEST(HostLoopbackRdma, is_not_looked_at_where_the_nic_never_counts_it) {
  Scene scene;
  scene.never_shows({Id::VportLoopbackPackets});
  expect_not_looked_at(scene.after(1).ask(kHostLoopbackRdma), "never_shown");
}

TEST(HostLoopbackRdma, is_unknown_when_a_counter_is_hidden) {
  expect_unknown(looping().hides(Id::VportLoopbackPackets).after(1).ask(kHostLoopbackRdma), Why::NotPresent);
  Scene pause = looping();
  pause.hides(Id::PfcTxPauseDuration).every(1, 60, {{Id::RdmaTxPackets, 1e6}, {Id::VportLoopbackPackets, 5e5}});
  expect_unknown(pause.ask(kHostLoopbackRdma), Why::NotPresent);
}

TEST(HostLoopbackRdma, cannot_pause_where_pfc_is_off) {
  Scene scene = looping();
  scene.hides(Id::PfcTxPauseDuration).eth0().dcb.pfc->enabled = 0;
  scene.every(1, 300, {{Id::RdmaTxPackets, 1e6}, {Id::VportLoopbackPackets, 5e5}});
  expect_pass(scene.ask(kHostLoopbackRdma));
}

}  // namespace
}  // namespace roceready::rules_test

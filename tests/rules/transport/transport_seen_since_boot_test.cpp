// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

TEST(TransportSeenSinceBoot, tells_what_one_reading_holds_as_info) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence);
  for (CounterValue& value : scene.port().counters.values) {
    if (value.id == Id::OutOfSequence) value.raw = 6140236;
  }
  expect_fail(scene.ask(kTransportSeenSinceBoot), Severity::Info, "out_of_sequence 6140236");
}

TEST(TransportSeenSinceBoot, leaves_counters_that_were_read_twice_to_the_rules_on_growth) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence).every(60, 2, {{Id::OutOfSequence, 5}});
  expect_not_applicable(scene.ask(kTransportSeenSinceBoot));
}

TEST(TransportSeenSinceBoot, leaves_growth_beside_packets_to_the_rules_on_shares) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence).after(60, {{Id::OutOfSequence, 5000}, {Id::RdmaRxPackets, 1e9}});
  expect_not_applicable(scene.ask(kTransportSeenSinceBoot));
}

TEST(TransportSeenSinceBoot, tells_growth_that_no_profile_lets_judge) {
  Scene scene;
  scene.profile("").after(60, {{Id::RxDiscardsPhy, 90000},
                               {Id::PfcRxPauseFrames, 7e6, 3},
                               {Id::PacketSeqErr, 9},
                               {Id::RdmaRxPackets, 8e7},
                               {Id::RdmaTxPackets, 8e7}});
  const Judgement said = scene.ask(kTransportSeenSinceBoot);
  expect_fail(said, Severity::Info, "60 s: rx_discards_phy by 90000 and pfc_rx_pause_frames 3 by 7000000. Whether");
  EXPECT_EQ(said.evidence.size(), 2U);
  EXPECT_EQ(said.evidence.at(0).source, "ethtool statistics of eth0");
  scene.profile("nvidia-lossless");
  expect_not_applicable(scene.ask(kTransportSeenSinceBoot));
}

TEST(TransportSeenSinceBoot, leaves_growth_to_the_rules_that_need_no_profile) {
  Scene scene;
  scene.profile("").after(60, {{Id::TransportRetryExceeded, 50}, {Id::FecUncorrectableBlocks, 50}});
  expect_not_applicable(scene.ask(kTransportSeenSinceBoot));
}

TEST(TransportSeenSinceBoot, tells_drops_of_which_nobody_knows_whether_pfc_was_to_prevent_them) {
  Scene scene;
  scene.after(60, {{Id::RxDiscardsPhy, 90000}});
  expect_not_applicable(scene.ask(kTransportSeenSinceBoot));
  scene.eth0().dcb.pfc = denied();
  expect_fail(scene.ask(kTransportSeenSinceBoot), Severity::Info, "rx_discards_phy by 90000. What was read");
  Scene lossy;
  lossy.profile("lossy-ecn").after(60, {{Id::RxDiscardsPhy, 90000}});
  expect_fail(lossy.ask(kTransportSeenSinceBoot), Severity::Info, "rx_discards_phy by 90000");
  lossy.eth0().dcb.pfc->enabled = 0;
  expect_not_applicable(lossy.ask(kTransportSeenSinceBoot));
}

TEST(TransportSeenSinceBoot, tells_what_only_the_last_reading_shows) {
  Scene scene;
  const CounterReadings shown = scene.eth0().counters;
  scene.hides(Id::RxDiscardsPhy).after(60);
  scene.eth0().counters.values = shown.values;
  const Judgement said = scene.ask(kTransportSeenSinceBoot);
  expect_fail(said, Severity::Info, "the last reading shows rx_discards_phy 40213334, and no earlier one");
  EXPECT_EQ(said.sentence.find("grew"), std::string::npos) << said.sentence;
}

TEST(TransportSeenSinceBoot, tells_what_fell) {
  Scene scene;
  scene.after(60);
  for (CounterValue& value : scene.eth0().counters.values)
    if (value.id == Id::RxDiscardsPhy) value.raw = 12;
  const Judgement said = scene.ask(kTransportSeenSinceBoot);
  expect_fail(said, Severity::Info, "rx_discards_phy from 40213334 to 12. The counters were cleared");
  EXPECT_EQ(said.sentence.find("no earlier one"), std::string::npos) << said.sentence;
}

TEST(TransportSeenSinceBoot, tells_pauses_whose_time_was_not_read) {
  Scene scene;
  scene.hides(Id::PfcRxPauseDuration).after(60, {{Id::PfcRxPauseFrames, 7e6, 3}});
  expect_fail(scene.ask(kTransportSeenSinceBoot), Severity::Info, "pfc_rx_pause_frames 3 by 7000000. What was read");
}

TEST(TransportSeenSinceBoot, says_nothing_in_a_daemon) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence);
  expect_not_applicable(scene.daemon().ask(kTransportSeenSinceBoot));
}

/// Pauses sent by priority, as an E810 shows those of two traffic classes.
Scene paused(const std::string& driver) {
  Scene scene;
  scene.port().driver = driver;
  scene.port().counters.values.clear();
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) scene.shows(Id::PfcTxPauseFrames, priority);
  for (CounterValue& value : scene.eth0().counters.values)
    value.raw = value.id != Id::PfcTxPauseFrames ? 0 : value.lane == 2 ? 14864 : value.lane == 4 ? 0 : 6434;
  return scene;
}

TEST(TransportSeenSinceBoot, tells_equal_pauses_of_priorities_as_one_on_intel) {
  const Judgement intel = paused("irdma").ask(kTransportSeenSinceBoot);
  expect_fail(intel, Severity::Info, "pfc_tx_pause_frames of priorities 0, 1, 3, 5, 6 and 7 alike 6434");
  EXPECT_NE(intel.sentence.find("pfc_tx_pause_frames 2 14864"), std::string::npos) << intel.sentence;
  EXPECT_NE(intel.sentence.find("one traffic class"), std::string::npos);
  const Judgement other = paused("mlx5_ib").ask(kTransportSeenSinceBoot);
  EXPECT_EQ(other.sentence.find("alike"), std::string::npos) << "other NICs count each priority";
}

TEST(TransportSeenSinceBoot, tells_equal_growth_of_priorities_as_one_on_intel) {
  const std::vector<Growth> pauses = {{Id::PfcTxPauseFrames, 500, 1}, {Id::PfcTxPauseFrames, 500, 6}};
  Scene intel = paused("irdma").profile("").after(60, pauses);
  expect_fail(intel.ask(kTransportSeenSinceBoot), Severity::Info,
              "pfc_tx_pause_frames of priorities 1 and 6 alike by 500");
  Scene other = paused("mlx5_ib").profile("").after(60, pauses);
  expect_fail(other.ask(kTransportSeenSinceBoot), Severity::Info,
              "pfc_tx_pause_frames 1 by 500 and pfc_tx_pause_frames 6 by 500");
}

}  // namespace
}  // namespace roceready::rules_test

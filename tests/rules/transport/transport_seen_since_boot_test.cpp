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

}  // namespace
}  // namespace roceready::rules_test

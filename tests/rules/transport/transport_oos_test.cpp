// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene losing(double packets, Id id = Id::OutOfSequence, const std::string& profile = "nvidia-lossless") {
  Scene scene;
  scene.profile(profile).shows_rdma(id).every(60, 6, {{id, packets}, {Id::RdmaRxPackets, 1e9}});
  return scene;
}

TEST(TransportOos, takes_the_level_of_the_profile) {
  expect_pass(losing(0).ask(kTransportOos));
  expect_pass(losing(9).ask(kTransportOos));
  expect_fail(losing(200).ask(kTransportOos), Severity::Warning, "200 packets out of sequence");
  expect_fail(losing(2e6).ask(kTransportOos), Severity::Warning, "and so in three of the last five minutes");
  expect_pass(losing(20000, Id::OutOfSequence, "lossy-ecn").ask(kTransportOos));
  expect_fail(losing(2e6, Id::OutOfSequence, "lossy-ecn").ask(kTransportOos), Severity::Warning, "0.2 %");
}

TEST(TransportOos, counts_gaps_where_the_driver_counts_those) {
  expect_fail(losing(200, Id::OutOfSequenceEvents).ask(kTransportOos), Severity::Warning, "200 gaps out of sequence");
}

TEST(TransportOos, is_info_until_it_is_sustained) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence).every(1, 2, {{Id::OutOfSequence, 50}, {Id::RdmaRxPackets, 1e7}});
  expect_fail(scene.ask(kTransportOos), Severity::Info, "not sustained yet");
}

TEST(TransportOos, says_nothing_with_adaptive_routing_or_little_traffic) {
  Scene scene = losing(2e6);
  scene.profile().adaptive_routing = true;
  expect_not_applicable(scene.ask(kTransportOos));
  Scene idle;
  idle.shows_rdma(Id::OutOfSequence).every(60, 6, {{Id::OutOfSequence, 50}, {Id::RdmaRxPackets, 1000}});
  expect_not_looked_at(idle.ask(kTransportOos), "longer_window");
}

TEST(TransportOos, doubts_a_counter_that_outgrows_the_packets) {
  Scene scene;
  scene.shows_rdma(Id::OutOfSequence).every(60, 6, {{Id::OutOfSequence, 3e6}, {Id::RdmaRxPackets, 1e6}});
  const Judgement said = scene.ask(kTransportOos);
  expect_fail(said, Severity::Warning, "not to be trusted");
  EXPECT_LT(said.confidence, 0.7);
}

TEST(TransportOos, is_unknown_when_hidden_and_not_looked_at_when_never_shown) {
  Scene scene;
  expect_not_looked_at(Scene().after(1).ask(kTransportOos), "never_shown");
  expect_unknown(scene.shows_rdma(Id::OutOfSequence).hides(Id::OutOfSequence).after(1).ask(kTransportOos),
                 Why::NotPresent);
}

}  // namespace
}  // namespace roceready::rules_test

// SPDX-License-Identifier: Apache-2.0
#include "tests/rules/scene.h"

namespace roceready::rules_test {
namespace {

using Id = CounterId;

Scene losing(double naks, double packets, const std::string& profile = "nvidia-lossless") {
  Scene scene;
  scene.profile(profile).every(60, 6, {{Id::PacketSeqErr, naks}, {Id::RdmaTxPackets, packets}});
  return scene;
}

TEST(TransportSeqErr, takes_the_level_of_the_profile) {
  struct Case {
    double naks, packets;
    const char* profile;
    Outcome outcome;
    Severity severity;
  };
  for (const Case& c : {Case{0, 1e9, "nvidia-lossless", Outcome::Pass, {}},
                        Case{9, 1e6, "nvidia-lossless", Outcome::Pass, {}},  // too few to mean anything
                        Case{200, 1e9, "nvidia-lossless", Outcome::Fail, Severity::Warning},
                        Case{20000, 1e9, "nvidia-lossless", Outcome::Fail, Severity::Critical},
                        Case{20000, 1e9, "lossy-ecn", Outcome::Pass, {}},
                        Case{2e6, 1e9, "lossy-ecn", Outcome::Fail, Severity::Critical}}) {
    const Judgement said = losing(c.naks, c.packets, c.profile).ask(kTransportSeqErr);
    EXPECT_EQ(said.outcome, c.outcome) << words_of(said);
    if (c.outcome == Outcome::Fail) expect_fail(said, c.severity, "of the packets sent");
  }
}

TEST(TransportSeqErr, never_fires_on_nothing_whatever_the_limits) {
  Scene scene = losing(0, 1e9);
  expect_pass(scene.limit("transport-seq-err.warn", 0).limit("transport-seq-err.crit", 0).ask(kTransportSeqErr));
}

TEST(TransportSeqErr, counts_implied_ones_too) {
  Scene scene;
  scene.every(60, 6, {{Id::ImpliedNak, 200}, {Id::RdmaTxPackets, 1e9}});
  expect_fail(scene.ask(kTransportSeqErr), Severity::Warning, "200 sequence NAKs");
}

TEST(TransportSeqErr, clears_no_port_whose_implied_ones_are_hidden) {
  Scene hidden = losing(0, 1e9);
  expect_unknown(hidden.hides(Id::ImpliedNak).after(1).ask(kTransportSeqErr), Why::NotPresent);
  Scene never;
  never.never_shows({Id::ImpliedNak}).every(60, 6, {{Id::RdmaTxPackets, 1e9}});
  expect_pass(never.ask(kTransportSeqErr));
}

TEST(TransportSeqErr, says_nothing_with_adaptive_routing_or_little_traffic) {
  Scene scene = losing(20000, 1e9);
  scene.profile().adaptive_routing = true;
  expect_not_applicable(scene.ask(kTransportSeqErr));
  expect_not_looked_at(losing(50, 1000).ask(kTransportSeqErr), "longer_window");
}

TEST(TransportSeqErr, is_info_in_a_one_shot) {
  Scene scene;
  scene.every(1, 2, {{Id::PacketSeqErr, 50}, {Id::RdmaTxPackets, 1e7}});
  expect_fail(scene.ask(kTransportSeqErr), Severity::Info,
              "1 in 200000 of the packets sent; that is not sustained yet");
}

TEST(TransportSeqErr, marks_a_spike_against_the_hour_before) {
  Scene scene;
  scene.every(10, 200, {{Id::PacketSeqErr, 1}, {Id::RdmaTxPackets, 1e6}});
  EXPECT_EQ(scene.ask(kTransportSeqErr).sentence.find("spike"), std::string::npos);
  scene.after(10, {{Id::PacketSeqErr, 300}, {Id::RdmaTxPackets, 1e6}});
  const Judgement said = scene.ask(kTransportSeqErr);
  EXPECT_NE(said.sentence.find("It is a spike: 300 times what is usual here."), std::string::npos) << words_of(said);
  scene.every(10, 200, {{Id::PacketSeqErr, 300}, {Id::RdmaTxPackets, 1e6}});
  EXPECT_EQ(scene.ask(kTransportSeqErr).sentence.find("spike"), std::string::npos) << "what lasts is usual";
}

TEST(TransportSeqErr, doubts_a_counter_that_outgrows_the_packets) {
  const Judgement said = losing(3e6, 1e6).ask(kTransportSeqErr);
  EXPECT_NE(said.sentence.find("not to be trusted"), std::string::npos) << words_of(said);
  EXPECT_LT(said.confidence, 0.7);
}

TEST(TransportSeqErr, is_unknown_not_looked_at_or_without_profile) {
  Scene hidden;
  expect_unknown(hidden.hides(Id::PacketSeqErr).after(1).ask(kTransportSeqErr), Why::NotPresent);
  Scene never;
  expect_not_looked_at(never.never_shows({Id::PacketSeqErr}).after(1).ask(kTransportSeqErr), "never_shown");
  Scene none;
  expect_not_looked_at(none.profile("").after(1).ask(kTransportSeqErr), "no_profile");
}

}  // namespace
}  // namespace roceready::rules_test

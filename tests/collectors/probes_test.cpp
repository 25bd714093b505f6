// SPDX-License-Identifier: Apache-2.0
// From what the probe engine published to Snapshot::probes.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "collectors/live/published_probes.h"
#include "collectors/sampler.h"
#include "core/snapshot/probe_json.h"
#include "tests/doubles/fake_host.h"

namespace roceready {
namespace {

class Probes : public testing::Test {
 protected:
  Snapshot sample() {
    Host host = machine.host();
    machine.advance(1'000'000'000);
    return sampler.sample(host);
  }
  static Reading<bool> success(const Snapshot& snapshot) {
    for (const CollectorRun& run : snapshot.collectors)
      if (run.collector == "probes") return run.success;
    ADD_FAILURE() << "the collector did not run";
    return Absent{};
  }
  static std::string text(double window, double running = 7200) {
    ProbeFacts facts;
    facts.window_seconds = window;
    facts.running_seconds = running;
    PeerProbe peer;
    peer.device = "mlx5_0";
    peer.peer = "node17:9885";
    facts.peers = {peer};
    return probe_facts_json(facts);
  }
  doubles::FakeHost machine;
  Sampler sampler{SamplerOptions{}};
};

TEST_F(Probes, are_absent_on_a_node_that_does_not_probe_and_that_is_no_failure) {
  const Snapshot snapshot = sample();
  ASSERT_FALSE(snapshot.probes);
  EXPECT_EQ(snapshot.probes.absent().why, Why::NotPresent);
  EXPECT_TRUE(success(snapshot));
}

TEST_F(Probes, are_in_the_snapshot_and_follow_what_is_published) {
  machine.data("probes/results.json", text(20));
  EXPECT_DOUBLE_EQ(sample().probes->window_seconds, 20);
  EXPECT_DOUBLE_EQ(sample().probes->window_seconds, 20);
  machine.data("probes/results.json", text(30));
  EXPECT_DOUBLE_EQ(sample().probes->window_seconds, 30);
  EXPECT_EQ(sample().probes->peers[0].peer, "node17:9885");
}

TEST_F(Probes, that_make_no_sense_are_malformed_and_leave_nothing_stale) {
  machine.data("probes/results.json", text(20));
  ASSERT_TRUE(sample().probes);
  machine.data("probes/results.json", R"({"peers": [{"sent": 1, "lost": 2}]})");
  const Snapshot snapshot = sample();
  ASSERT_FALSE(snapshot.probes);
  EXPECT_EQ(snapshot.probes.absent().why, Why::Malformed);
  EXPECT_NE(snapshot.probes.absent().detail.find("more probes were lost than sent"), std::string::npos)
      << snapshot.probes.absent().detail;
  EXPECT_FALSE(success(snapshot));
  machine.data("probes/results.json", text(20));
  EXPECT_TRUE(sample().probes) << "the same text as before the damage";
}

TEST_F(Probes, that_are_refused_are_a_failure_with_its_reason) {
  machine.refuse("probes/results.json", EPERM);
  const Snapshot snapshot = sample();
  EXPECT_EQ(snapshot.probes.absent().why, Why::Denied);
  EXPECT_FALSE(success(snapshot));
}

TEST_F(Probes, of_an_engine_that_says_nothing_new_for_fifteen_seconds_are_timed_out) {
  machine.data("probes/results.json", text(20));
  for (int second = 0; second <= 15; ++second) EXPECT_TRUE(sample().probes) << second;
  for (int second = 16; second <= 18; ++second) {
    const Snapshot stuck = sample();
    ASSERT_FALSE(stuck.probes) << second;
    EXPECT_EQ(stuck.probes.absent().why, Why::TimedOut);
    EXPECT_NE(stuck.probes.absent().detail.find("nothing new for more than 15 s"), std::string::npos);
    EXPECT_FALSE(success(stuck));
  }
  machine.data("probes/results.json", text(20, 7201));
  EXPECT_TRUE(sample().probes) << "it goes on";
  EXPECT_TRUE(sample().probes);
}

TEST_F(Probes, that_say_only_why_nothing_is_probed_do_not_grow_old) {
  ProbeFacts facts;
  facts.blocked["peers"] = "no secret";
  machine.data("probes/results.json", probe_facts_json(facts));
  for (int second = 0; second < 40; ++second) ASSERT_TRUE(sample().probes) << second;
}

TEST_F(Probes, of_an_engine_that_began_anew_are_timed_from_then) {
  machine.data("probes/results.json", text(20));
  for (int second = 0; second < 20; ++second) (void)sample();
  machine.answers.erase("probes/results.json");
  EXPECT_EQ(sample().probes.absent().why, Why::NotPresent);
  machine.data("probes/results.json", text(20));
  EXPECT_TRUE(sample().probes);
}

TEST_F(Probes, of_an_old_recording_were_not_recorded) {
  Recording recording;
  recording.samples.emplace_back().clock = {Instant{1'000'000'000, 1'000'000'000}};
  RecordedHost recorded(recording);
  Host host = recorded.host();
  EXPECT_EQ(sampler.sample(host).probes.absent().why, Why::NotRecorded);
}

TEST_F(Probes, pass_through_a_recording_and_come_back) {
  machine.data("probes/results.json", text(20));
  RecordingHost recorder(machine.host());
  Host asked = recorder.host();
  (void)Sampler(SamplerOptions{}).sample(asked);
  Recording recording;
  recording.samples.push_back(recorder.take_sample());
  EXPECT_TRUE(recording.find(0, "probes/results.json") != nullptr);
  RecordedHost recorded(recording);
  Host host = recorded.host();
  const Snapshot replayed = sampler.sample(host);
  ASSERT_TRUE(replayed.probes);
  EXPECT_DOUBLE_EQ(replayed.probes->window_seconds, 20);
}

TEST(PublishedProbes, say_that_a_node_does_not_probe_until_something_is_published) {
  PublishedProbes probes;
  ASSERT_FALSE(probes.results());
  EXPECT_EQ(probes.results().error().code, ErrorCode::NotFound);
  probes.publish("{}");
  EXPECT_EQ(*probes.results(), "{}");
  probes.publish(R"({"peers": []})");
  EXPECT_EQ(*probes.results(), R"({"peers": []})");
  probes.withdraw();
  EXPECT_FALSE(probes.results());
}

}  // namespace
}  // namespace roceready

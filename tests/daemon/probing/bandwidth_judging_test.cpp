// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/bandwidth_judging.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/daemon/scripted_host.h"

namespace roceready::daemon {
namespace {

using rules::Outcome;

/// A host at 400 Gbit/s whose port sends at `bits_per_second`.
struct Node {
  double bits_per_second = 0;
  bool counts = true;
  int waits = 0;
  ScriptedHost host{[this](Snapshot& sample, double second) {
                      if (!counts) return;
                      CounterReadings& counters = sample.netdevs[0].counters;
                      counters.driver_known = true;
                      counters.offered = {CounterId::RxBytesPhy, CounterId::TxBytesPhy};
                      counters.values = {{CounterId::RxBytesPhy, kNoLane, 64, 1'000'000, 1.0},
                                         {CounterId::TxBytesPhy, kNoLane, 64,
                                          1'000'000 + static_cast<std::uint64_t>(second * bits_per_second / 8), 1.0}};
                    },
                    100};
  BandwidthJudging judging{host, {}, [this] { ++waits; }};
  MeasuredBandwidth measured(double got, const std::string& peer) {
    MeasuredBandwidth out;
    BandwidthRun& run = out.result.run;
    run.device = "mlx5_0";
    run.peer = peer;
    run.peer_device = "mlx5_0";
    run.peer_port = 1;
    run.mtu_bytes = 4096;
    run.seconds = 2;
    run.bytes = static_cast<std::uint64_t>(got / 4);
    run.bits_per_second = got;
    run.peer_speed_bits_per_second = std::uint64_t{400'000'000'000};
    run.peer_busy_share = 0.0;
    judging.look();
    judging.add_traffic(run);
    return out;
  }
};

TEST(BandwidthJudging, says_of_each_measurement_what_the_rule_says_of_it_alone) {
  Node node;
  std::vector<MeasuredBandwidth> all = {node.measured(390e9, "b:9885"), node.measured(200e9, "c:9885")};
  EXPECT_EQ(node.waits, 2);
  node.judging.judge(all);
  EXPECT_EQ(all[0].judged.outcome, Outcome::Pass) << all[0].judged.sentence;
  EXPECT_EQ(all[1].judged.outcome, Outcome::Fail) << all[1].judged.sentence;
  EXPECT_EQ(all[1].judged.severity, rules::Severity::Critical);
  EXPECT_EQ(all[1].judged.rule, "probe-bandwidth-low");
  EXPECT_NE(all[1].judged.sentence.find("c:9885"), std::string::npos) << all[1].judged.sentence;
}

TEST(BandwidthJudging, does_not_judge_a_port_that_carries_other_traffic) {
  Node node;
  node.bits_per_second = 100e9;
  std::vector<MeasuredBandwidth> all = {node.measured(200e9, "b:9885")};
  ASSERT_TRUE(all[0].result.run.other_bits_per_second);
  EXPECT_NEAR(*all[0].result.run.other_bits_per_second, 100e9, 1e6);
  node.judging.judge(all);
  EXPECT_EQ(all[0].judged.outcome, Outcome::Unknown);
  EXPECT_NE(all[0].judged.sentence.find("other traffic"), std::string::npos) << all[0].judged.sentence;
}

TEST(BandwidthJudging, does_not_take_what_is_not_counted_for_an_idle_port) {
  Node node;
  node.counts = false;
  std::vector<MeasuredBandwidth> all = {node.measured(200e9, "b:9885")};
  EXPECT_FALSE(all[0].result.run.other_bits_per_second);
  node.judging.judge(all);
  EXPECT_EQ(all[0].judged.outcome, Outcome::Unknown) << all[0].judged.sentence;
}

TEST(BandwidthJudging, does_not_judge_what_was_not_measured_or_is_not_in_scope) {
  Node node;
  std::vector<MeasuredBandwidth> all = {node.measured(390e9, "b:9885"), node.measured(390e9, "c:9885"), {}};
  all[0].result.run.device = "mlx5_2";
  all[1].result.run.device = "mlx5_9";
  node.judging.judge(all);
  for (const MeasuredBandwidth& one : all) EXPECT_EQ(one.judged.outcome, Outcome::Unknown) << one.judged.sentence;
  EXPECT_NE(all[0].judged.sentence.find("virtual function"), std::string::npos) << all[0].judged.sentence;
}

TEST(BandwidthJudging, holds_a_loopback_against_its_own_rule) {
  Node node;
  std::vector<MeasuredBandwidth> all = {node.measured(390e9, "")};
  all[0].result.run.loopback = true;
  node.judging.judge(all);
  EXPECT_EQ(all[0].judged.rule, "probe-loopback-low");
  EXPECT_EQ(all[0].judged.outcome, Outcome::Pass) << all[0].judged.sentence;
}

}  // namespace
}  // namespace roceready::daemon

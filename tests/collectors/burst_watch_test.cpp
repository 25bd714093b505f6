// SPDX-License-Identifier: Apache-2.0
#include "collectors/burst_watch.h"

#include <gtest/gtest.h>

#include "collectors/sampler.h"
#include "tests/collectors/mlx5_pair.h"

namespace roceready {
namespace {

constexpr std::int64_t kStep = 100'000'000;

RdmaPort port_with(std::uint64_t raw, std::int64_t at_ns, std::uint8_t width = 32) {
  RdmaPort port;
  port.device = "mlx5_0";
  port.in_scope = true;
  port.counters.values = {{CounterId::PacketSeqErr, kNoLane, width, raw, 1.0}};
  port.counters.at_monotonic_ns = at_ns;
  return port;
}

TEST(BurstWatch, tells_an_even_trickle_from_a_burst) {
  BurstWatch even, burst;
  for (std::uint64_t k = 0; k <= 10; ++k) {
    const auto at = static_cast<std::int64_t>(k + 1) * kStep;
    even.add({port_with(1000 + 10 * k, at)});
    burst.add({port_with(k < 7 ? 1000 : 1100, at)});
  }
  ASSERT_EQ(even.facts().size(), 1U);
  ASSERT_EQ(burst.facts().size(), 1U);
  const BurstFact a = even.facts()[0], b = burst.facts()[0];
  EXPECT_EQ(a.counter, "packet_seq_err");
  EXPECT_EQ(a.steps, 10U);
  EXPECT_EQ(a.busy_steps, 10U);
  EXPECT_DOUBLE_EQ(a.peak, 10);
  EXPECT_EQ(b.busy_steps, 1U);
  EXPECT_DOUBLE_EQ(b.peak, 100);
  EXPECT_DOUBLE_EQ(a.amount, b.amount);
  EXPECT_NEAR(a.step_seconds, 0.1, 1e-9);
}

TEST(BurstWatch, takes_a_first_reading_a_reset_and_an_old_reading_for_no_growth) {
  BurstWatch watch;
  watch.add({port_with(5000, kStep, 64)});
  EXPECT_TRUE(watch.facts().empty()) << "a baseline";
  watch.add({port_with(9000, kStep, 64)});
  EXPECT_TRUE(watch.facts().empty()) << "read at no new time";
  watch.add({port_with(7, 2 * kStep, 64)});
  EXPECT_TRUE(watch.facts().empty()) << "a reset";
}

TEST(BurstWatch, counts_over_a_wrap) {
  BurstWatch watch;
  watch.add({port_with(0xFFFFFFFEU, kStep)});
  watch.add({port_with(4, 2 * kStep)});
  ASSERT_EQ(watch.facts().size(), 1U);
  EXPECT_DOUBLE_EQ(watch.facts()[0].peak, 6);
}

TEST(BurstWatch, leaves_ports_out_of_scope_alone) {
  BurstWatch watch;
  for (std::int64_t k = 1; k < 4; ++k) {
    RdmaPort port = port_with(static_cast<std::uint64_t>(k), k * kStep);
    port.in_scope = false;
    watch.add({port});
  }
  EXPECT_TRUE(watch.facts().empty());
}

// A step between samples takes no RTNL lock: it asks for RDMA statistics and for nothing else.
TEST(SamplerBurst, asks_the_rdma_side_alone_and_shows_what_grew_in_the_next_sample) {
  doubles::FakeHost machine = one_port();
  Sampler sampler{SamplerOptions{}};
  Host host = machine.host();
  sampler.burst_step(host);
  EXPECT_TRUE(machine.asked.empty()) << "nothing is known before the first sample";
  EXPECT_TRUE(sampler.sample(host).bursts.empty());
  machine.asked.clear();
  sampler.begin_burst();
  for (std::uint64_t k = 0; k < 3; ++k) {
    machine.advance(kStep);
    machine.data(answer_key::rdma_statistics("mlx5_0", 1),
                 doubles::rdma_counters_bytes({{"out_of_buffer", 4}, {"np_cnp_sent", 5 + 20 * k}}));
    sampler.burst_step(host);
  }
  EXPECT_EQ(machine.asked, std::vector<std::string>(3, answer_key::rdma_statistics("mlx5_0", 1)));
  machine.advance(kStep);
  const std::vector<BurstFact> facts = sampler.sample(host).bursts;
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].counter, "cnp_sent");
  EXPECT_EQ(facts[0].steps, 2U);
  EXPECT_DOUBLE_EQ(facts[0].peak, 20);
  machine.advance(Sampler::kBurstFreshNs + kStep);
  EXPECT_TRUE(sampler.sample(host).bursts.empty()) << "an old burst is no news";
}

}  // namespace
}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "probes/prober.h"

#include <gtest/gtest.h>

#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

/// A path on which larger packets take 600 ms, longer than a probe is waited for.
doubles::FabricRule slow_for_large() {
  doubles::FabricRule out;
  out.from = "10.0.0.1";
  out.longer_than = 1500;
  out.delay_ns = 600'000'000;
  return out;
}

TEST(MtuSweep, takes_a_size_that_is_answered_after_the_timeout_for_one_that_passes) {
  Pair pair;
  pair.plan.mtu_sweep = true;
  pair.fabric.add_rule(slow_for_large());
  const ProbeResult result = pair.run();
  ASSERT_TRUE(result.mtu);
  ASSERT_EQ(result.mtu->steps.size(), 5U);
  for (const MtuStep& step : result.mtu->steps) {
    EXPECT_EQ(step.sent, 3U) << step.payload_bytes;
    EXPECT_LT(step.lost, step.sent) << step.payload_bytes;
  }
  EXPECT_EQ(result.mtu->steps[2].lost, 0U) << "1024 bytes were never late";
  EXPECT_EQ(*result.mtu->passes(), 4096U);
  EXPECT_FALSE(result.mtu->black_hole());
}

TEST(MtuSweep, is_not_counted_among_the_probes_whatever_answers_come_late) {
  Pair pair;
  pair.plan.mtu_sweep = true;
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  std::int64_t until_ns = 0;
  // The peer's host gets no CPU for a while, in the middle of the sweep.
  pair.between = [&] {
    if (until_ns == 0 && pair.fabric.datagrams() > 40U * 3 + 6) until_ns = pair.fabric.now_ns() + 700'000'000;
    const bool was_stopped = !pair.responder_runs;
    pair.responder_runs = pair.fabric.now_ns() >= until_ns;
    if (was_stopped && pair.responder_runs) pair.fabric.waited("b", 700'000'000);
  };
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 40U);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(result.answered_late, 0U) << "of none of the probes that were asked for";
  ASSERT_TRUE(result.mtu);
  for (const MtuStep& step : result.mtu->steps) {
    EXPECT_EQ(step.sent, 3U) << step.payload_bytes;
    EXPECT_EQ(step.lost, 0U) << step.payload_bytes;
  }
}

}  // namespace
}  // namespace roceready::probes

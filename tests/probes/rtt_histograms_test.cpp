// SPDX-License-Identifier: Apache-2.0
#include "probes/rtt_histograms.h"

#include <gtest/gtest.h>

#include <numeric>

namespace roceready::probes {
namespace {

TEST(RttHistograms, put_a_bound_into_its_own_bucket_and_the_rest_into_the_last) {
  RttHistograms histograms;
  for (const double seconds : {1e-6, 2e-6, 2.1e-6, 0.5, 0.6, 30.0})
    histograms.add({"mlx5_0", 1}, ProbeKind::Ud, seconds);
  const auto all = histograms.all();
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].counts.size(), kProbeBounds.size() + 1);
  EXPECT_EQ(all[0].counts[0], 2U);
  EXPECT_EQ(all[0].counts[1], 1U);
  EXPECT_EQ(all[0].counts[kProbeBounds.size() - 1], 1U);
  EXPECT_EQ(all[0].counts[kProbeBounds.size()], 2U);
  EXPECT_NEAR(all[0].sum_seconds, 31.1000051, 1e-9);
  EXPECT_EQ(std::accumulate(all[0].counts.begin(), all[0].counts.end(), std::uint64_t{0}), 6U);
}

TEST(RttHistograms, keep_ports_and_kinds_apart) {
  RttHistograms histograms;
  histograms.add({"mlx5_1", 1}, ProbeKind::Ud, 1e-6);
  histograms.add({"mlx5_0", 2}, ProbeKind::Ud, 1e-6);
  histograms.add({"mlx5_0", 2}, ProbeKind::RcWrite, 1e-6);
  const auto all = histograms.all();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].device + all[0].kind, "mlx5_0rc-write");
  EXPECT_EQ(all[2].device, "mlx5_1");
}

}  // namespace
}  // namespace roceready::probes

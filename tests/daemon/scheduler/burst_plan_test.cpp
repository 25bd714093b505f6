// SPDX-License-Identifier: Apache-2.0
#include "daemon/burst_plan.h"

#include <gtest/gtest.h>

namespace roceready::daemon {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;

TEST(BurstPlan, has_no_step_until_trouble_is_suspected) {
  EXPECT_EQ(BurstPlan().next_step_ns(5 * kSecond), std::nullopt);
}

TEST(BurstPlan, polls_every_100_ms_for_30_s) {
  BurstPlan plan;
  std::int64_t now = 1000 * kSecond;
  ASSERT_TRUE(plan.suspect(now));
  int steps = 0;
  while (const auto due = plan.next_step_ns(now)) {
    now = *due + kMillisecond;
    plan.stepped(now, kMillisecond);
    ++steps;
  }
  EXPECT_EQ(steps, 300);
  EXPECT_FALSE(plan.active(1030 * kSecond));
}

TEST(BurstPlan, rests_whatever_is_suspected) {
  BurstPlan plan;
  ASSERT_TRUE(plan.suspect(kSecond));
  EXPECT_FALSE(plan.suspect(2 * kSecond)) << "it runs";
  EXPECT_FALSE(plan.suspect(330 * kSecond)) << "it rests";
  EXPECT_TRUE(plan.suspect(331 * kSecond));
  EXPECT_EQ(plan.begun(), 2U);
}

TEST(BurstPlan, spaces_the_steps_of_a_slow_driver) {
  BurstPlan plan;
  std::int64_t now = kSecond, busy = 0;
  ASSERT_TRUE(plan.suspect(now));
  while (const auto due = plan.next_step_ns(now)) {
    now = *due + 40 * kMillisecond;
    busy += 40 * kMillisecond;
    plan.stepped(now, 40 * kMillisecond);
  }
  EXPECT_LE(busy, BurstPlan::kLengthNs / BurstPlan::kBudget);
}

}  // namespace
}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "probes/thread_delay.h"

#include <gtest/gtest.h>

#include "tests/doubles/fake_fabric.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(PollGap, is_what_the_thread_waited_since_the_poll_before) {
  doubles::FakeFabric fabric;
  fabric.waited("a", 900 * kMs);  // before anybody polled
  PollGap gap(fabric.node("a"));
  EXPECT_EQ(gap.late_ns(1000 * kMs), 0);
  fabric.waited("a", 3 * kMs);
  EXPECT_EQ(gap.late_ns(1010 * kMs), 3 * kMs);
  EXPECT_EQ(gap.late_ns(1020 * kMs), 0) << "once";
}

TEST(PollGap, is_never_longer_than_the_time_between_two_polls) {
  doubles::FakeFabric fabric;
  PollGap gap(fabric.node("a"));
  (void)gap.late_ns(1000 * kMs);
  fabric.waited("a", 50 * kMs);
  EXPECT_EQ(gap.late_ns(1002 * kMs), 2 * kMs);
}

TEST(PollGap, begins_anew_where_nothing_was_awaited) {
  doubles::FakeFabric fabric;
  PollGap gap(fabric.node("a"));
  (void)gap.late_ns(1000 * kMs);
  fabric.waited("a", 5 * kMs);
  gap.begin(2000 * kMs);
  EXPECT_EQ(gap.late_ns(2001 * kMs), 0);
  fabric.waited("a", kMs);
  EXPECT_EQ(gap.late_ns(2003 * kMs), kMs) << "what it waited since counts";
}

TEST(PollGap, is_nothing_between_polls_that_follow_each_other_closely) {
  doubles::FakeFabric fabric;
  PollGap gap(fabric.node("a"));
  (void)gap.late_ns(1000 * kMs);
  fabric.waited("a", kMs);
  EXPECT_EQ(gap.late_ns(1000 * kMs + 99'999), 0);
}

TEST(ThreadDelay, never_falls) {
  ThreadDelay delay;
  const std::int64_t before = delay.total_ns();
  EXPECT_GE(before, 0);
  EXPECT_GE(delay.total_ns(), before);
}

}  // namespace
}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/timing.h"

#include <limits>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Impossible impossible(const ProbeStamps& stamps) {
  const auto out = timing_of(stamps);
  return std::holds_alternative<Impossible>(out) ? std::get<Impossible>(out) : Impossible::kCount;
}

TEST(Timing, by_software_is_the_round_trip_without_the_responder) {
  const auto out =
      std::get<ProbeTiming>(timing_of({.posted_ns = 1'000, .polled_ns = 11'000, .responder_delay_ns = 4'000}));
  EXPECT_EQ(out.clock, ProbeClock::Software);
  EXPECT_EQ(out.total_ns, 10'000);
  EXPECT_EQ(out.rtt_ns, 6'000);
  EXPECT_EQ(out.responder_delay_ns, 4'000);
  EXPECT_FALSE(out.prober_delay_ns);
}

TEST(Timing, by_the_nic_leaves_both_hosts_out) {
  const auto out = std::get<ProbeTiming>(
      timing_of({.posted_ns = 1'000, .polled_ns = 51'000, .on_the_wire_ns = 9'000, .responder_delay_ns = 5'000}));
  EXPECT_EQ(out.clock, ProbeClock::Nic);
  EXPECT_EQ(out.rtt_ns, 4'000);
  EXPECT_EQ(out.total_ns, 50'000);
  EXPECT_EQ(out.prober_delay_ns, 41'000) << "a late poll is the host's";
}

TEST(Timing, is_no_number_where_the_clock_went_backwards) {
  EXPECT_EQ(impossible({.posted_ns = 10, .polled_ns = 10}), Impossible::PolledBeforePosted);
  EXPECT_EQ(impossible({.posted_ns = 10, .polled_ns = 9}), Impossible::PolledBeforePosted);
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = 100, .on_the_wire_ns = 0}), Impossible::ReceivedBeforeSent);
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = 100, .on_the_wire_ns = kLeast}), Impossible::ReceivedBeforeSent);
}

TEST(Timing, is_no_number_where_the_wire_took_longer_than_all) {
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = 100, .on_the_wire_ns = 101}), Impossible::LongerThanItself);
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = 100, .on_the_wire_ns = kMost}), Impossible::LongerThanItself);
}

TEST(Timing, does_not_believe_a_responder_that_claims_all_the_time_or_more) {
  for (const std::uint64_t claimed :
       {std::uint64_t{100}, std::uint64_t{101}, ~std::uint64_t{0}, std::uint64_t{1} << 63})
    EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = 100, .responder_delay_ns = claimed}),
              Impossible::ResponderTookTooLong)
        << claimed;
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = 100, .on_the_wire_ns = 50, .responder_delay_ns = 60}),
            Impossible::ResponderTookTooLong)
      << "more than was on the wire";
}

TEST(Timing, is_no_number_beyond_any_time_out) {
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = kLongestProbe}), Impossible::kCount);
  EXPECT_EQ(impossible({.posted_ns = 0, .polled_ns = kLongestProbe + 1}), Impossible::TooLong);
  EXPECT_EQ(impossible({.posted_ns = kLeast, .polled_ns = kMost}), Impossible::TooLong) << "does not overflow";
}

TEST(Timing, has_a_name_for_everything_impossible) {
  for (int i = 0; i < static_cast<int>(Impossible::kCount); ++i)
    EXPECT_STRNE(name_of(static_cast<Impossible>(i)), "?") << i;
}

TEST(NicClock, converts_cycles_over_a_wrap) {
  const NicClock clock{.mask = 0xffffff, .kilohertz = 156'250};
  EXPECT_EQ(nic_nanoseconds(clock, 1'000, 1'000 + 156'250), 1'000'000);
  EXPECT_EQ(nic_nanoseconds(clock, 0xfffffe, 0x000002), 25) << "4 cycles of 6.4 ns";
  EXPECT_EQ(nic_nanoseconds(clock, 7, 7), 0);
}

TEST(NicClock, gives_nothing_for_a_step_backwards) {
  const NicClock clock{.mask = 0xffffff, .kilohertz = 1'000'000};
  EXPECT_FALSE(nic_nanoseconds(clock, 1'000, 999));
}

TEST(NicClock, gives_nothing_where_the_device_has_none) {
  EXPECT_FALSE(nic_nanoseconds({}, 1, 2));
  EXPECT_FALSE(nic_nanoseconds({.mask = 0xff, .kilohertz = 0}, 1, 2));
  EXPECT_FALSE(nic_nanoseconds({.mask = 0, .kilohertz = 1'000}, 1, 2));
}

TEST(NicClock, does_not_overflow_on_absurd_clocks) {
  const std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(nic_nanoseconds({.mask = most, .kilohertz = 1'000'000}, 0, most / 4), static_cast<std::int64_t>(most / 4))
      << "1 GHz: as many cycles";
  EXPECT_FALSE(nic_nanoseconds({.mask = most, .kilohertz = 1}, 0, most / 2));
  EXPECT_FALSE(nic_nanoseconds({.mask = most, .kilohertz = most}, 0, most / 2));
}

}  // namespace
}  // namespace roceready::probes

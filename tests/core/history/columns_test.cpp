// SPDX-License-Identifier: Apache-2.0
#include "core/history/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace roceready {
namespace {

constexpr Columns::Signal kSteady{CounterId::PacketSeqErr, kNoLane};
constexpr Columns::Signal kBusy{CounterId::RxBytesPhy, kNoLane};
constexpr double kPromised = 1.0 / 2048;  // of a sum that reaches back more than ten minutes

/// The same sums, by walking over everything that was ever booked.
class Walked {
 public:
  void book(std::int64_t at_seconds, double seconds, const std::vector<Columns::Growth>& growth) {
    booked_.push_back({at_seconds, seconds, growth});
  }
  [[nodiscard]] std::optional<Columns::Sum> sum(Columns::Signal signal, std::int64_t now, double seconds,
                                                double ago) const {
    const Tier& tier = *std::find_if(kTiers.begin(), kTiers.end(), [&](const Tier& one) {
      return seconds + ago <= static_cast<double>(one.seconds) * static_cast<double>(one.slots);
    });
    const std::int64_t newest = now / tier.seconds - std::llround(ago / static_cast<double>(tier.seconds));
    const std::int64_t oldest = newest - std::llround(std::ceil(seconds / static_cast<double>(tier.seconds))) + 1;
    std::set<std::int64_t> known;
    Columns::Sum out;
    const auto in_window = [&](const Booking& one) {
      return one.at / tier.seconds >= oldest && one.at / tier.seconds <= newest;
    };
    for (const Booking& one : booked_) {
      for (const Columns::Growth& growth : one.growth) {
        if (growth.signal != signal || !in_window(one)) continue;
        known.insert(one.at / tier.seconds);
        out.amount += growth.amount;
      }
    }
    for (const Booking& one : booked_)
      if (known.contains(one.at / tier.seconds)) out.seconds += one.seconds;
    return known.empty() ? std::nullopt : std::optional(out);
  }

 private:
  struct Booking {
    std::int64_t at;
    double seconds;
    std::vector<Columns::Growth> growth;
  };
  std::vector<Booking> booked_;
};

// Counters that stand still are summed without a walk; the answer must not show it.
TEST(Columns, sum_as_a_walk_over_all_that_was_booked_does) {
  constexpr unsigned kSeed = 20240611;
  std::mt19937 random(kSeed);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  Columns columns;
  Walked walked;
  std::int64_t now = 5'000;
  for (int sample = 0; sample < 3'000; ++sample) {
    const std::int64_t step = one_in(50) ? 37 : one_in(10) ? 2 : 1;
    now += step;
    std::vector<Columns::Growth> growth;
    if (!one_in(40)) growth.push_back({kSteady, one_in(200) ? 3.0 : 0.0});
    if (!one_in(100)) growth.push_back({kBusy, static_cast<double>(random() % 1000)});
    columns.book(now * 1'000'000'000, static_cast<double>(step), growth);
    walked.book(now, static_cast<double>(step), growth);
    if (sample % 7 != 0) continue;
    for (const Columns::Signal& signal : {kSteady, kBusy}) {
      for (const double seconds : {1.0, 10.0, 60.0, 300.0, 3600.0}) {
        for (const double ago : {0.0, 60.0, 240.0}) {
          const auto got = columns.sum(signal, now * 1'000'000'000, seconds, ago);
          const auto expected = walked.sum(signal, now, seconds, ago);
          ASSERT_EQ(got.has_value(), expected.has_value()) << sample << ": " << seconds << " s, " << ago << " s ago";
          if (!got) continue;
          const bool coarse = seconds + ago > 600;
          const double error = coarse ? kPromised * expected->amount : 1e-6 * (1 + expected->amount);
          ASSERT_NEAR(got->amount, expected->amount, error) << sample << ": " << seconds;
          ASSERT_NEAR(got->seconds, expected->seconds, 1e-3) << sample << ": " << seconds << " s, " << ago << " s ago";
        }
      }
    }
  }
}

constexpr std::int64_t kSecond = 1'000'000'000;

// Counts of faults are compared with limits of 1, 3 and 10, over hours and days.
TEST(Columns, count_faults_exactly_over_hours_and_days) {
  std::mt19937 random(20261130);
  Columns columns;
  std::vector<std::pair<std::int64_t, double>> booked;
  std::int64_t now = 100'000;
  for (int sample = 0; sample < 40'000; ++sample) {
    const std::int64_t step = random() % 100 == 0 ? 5 : 2;
    now += step;
    const double faults = random() % 500 == 0 ? 1.0 + static_cast<double>(random() % 30) : 0.0;
    columns.book(now * kSecond, static_cast<double>(step), {{kSteady, faults}});
    booked.emplace_back(now, faults);
  }
  for (const double seconds : {60.0, 300.0, 1500.0, 3600.0, 7200.0, 20'000.0, 86'400.0}) {
    const std::int64_t slot = seconds <= 600 ? 1 : seconds <= 7200 ? 10 : 60;
    const std::int64_t oldest = now / slot - static_cast<std::int64_t>(seconds) / slot + 1;
    double expected = 0;
    for (const auto& [at, faults] : booked) expected += at / slot >= oldest && at / slot <= now / slot ? faults : 0;
    const auto got = columns.sum(kSteady, now * kSecond, seconds, 0);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->amount, expected) << seconds;
  }
}

TEST(Columns, keep_bytes_and_times_within_their_promise_over_a_day) {
  std::mt19937 random(4);
  constexpr Columns::Signal kPaused{CounterId::PfcRxPauseDuration, 3};
  Columns columns;
  double bytes = 0, paused = 0, seconds = 0;
  std::int64_t now = 60'000;
  for (int sample = 0; sample < 12'000; ++sample) {
    now += 7;
    const double sent = 1e9 * static_cast<double>(random() % 350), held = 1e-6 * static_cast<double>(random() % 900000);
    columns.book(now * kSecond, 7, {{kBusy, sent}, {kPaused, held}});
    bytes += sent;
    paused += held;
    seconds += 7;
  }
  const auto sum_of = [&](Columns::Signal signal) { return columns.sum(signal, now * kSecond, 86'400, 0).value(); };
  EXPECT_NEAR(sum_of(kBusy).amount, bytes, kPromised * bytes);
  EXPECT_NEAR(sum_of(kPaused).amount, paused, kPromised * paused);
  EXPECT_NEAR(sum_of(kPaused).seconds, seconds, 1e-3);
}

TEST(Columns, keep_a_growing_signal_for_a_day_in_seven_kilobytes) {
  Columns flat, grown;
  for (std::int64_t s = 1; s <= 3; ++s) {
    flat.book(s * kSecond, 1, {{kSteady, 0}});
    grown.book(s * kSecond, 1, {{kSteady, 5}});
  }
  EXPECT_LT(grown.memory_bytes() - flat.memory_bytes(), 7'000U);
}

}  // namespace
}  // namespace roceready

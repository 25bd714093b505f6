// SPDX-License-Identifier: Apache-2.0
#include "probes/budget.h"

#include <limits>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;

TEST(TokenBucket, gives_its_burst_and_then_its_rate) {
  TokenBucket bucket(10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(1, 0));
  EXPECT_FALSE(bucket.take(1, 0));
  EXPECT_FALSE(bucket.take(1, 100 * kMillisecond - 1));
  EXPECT_TRUE(bucket.take(1, 100 * kMillisecond));
  EXPECT_FALSE(bucket.take(1, 100 * kMillisecond));
}

TEST(TokenBucket, loses_nothing_between_short_steps) {
  TokenBucket bucket(7, 2);
  EXPECT_TRUE(bucket.take(2, 0));
  std::uint64_t taken = 0;
  for (std::int64_t now = 1; now <= 3 * kSecond; now += 1'111) taken += bucket.take(1, now) ? 1 : 0;
  EXPECT_EQ(taken, 20U) << "the 21st comes at exactly 3 s, behind the last step";
  EXPECT_TRUE(bucket.take(1, 3 * kSecond));
}

TEST(TokenBucket, keeps_no_more_than_its_burst) {
  TokenBucket bucket(1'000'000, 5);
  EXPECT_TRUE(bucket.take(5, 0));
  EXPECT_FALSE(bucket.take(6, std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(bucket.take(5, std::numeric_limits<std::int64_t>::max()));
}

TEST(TokenBucket, takes_a_clock_that_steps_back_for_standing_still) {
  TokenBucket bucket(1, 1);
  EXPECT_TRUE(bucket.take(1, 10 * kSecond));
  EXPECT_FALSE(bucket.take(1, 0));
  EXPECT_FALSE(bucket.take(1, 10 * kSecond + kSecond - 1)) << "the way back is not paid";
  EXPECT_TRUE(bucket.take(1, 11 * kSecond));
}

TEST(TokenBucket, pays_back_what_it_owes) {
  TokenBucket bucket(10, 1);
  bucket.owe(11, 0);
  EXPECT_FALSE(bucket.has(1, kSecond));
  EXPECT_TRUE(bucket.has(1, kSecond + 100 * kMillisecond));
}

TEST(TokenBucket, owes_no_more_than_it_is_told) {
  TokenBucket bucket(10, 1);
  for (int i = 0; i < 100; ++i) bucket.owe(5, 0, 3);
  EXPECT_FALSE(bucket.has(1, 399 * kMillisecond));
  EXPECT_TRUE(bucket.has(1, 400 * kMillisecond));
}

TEST(TokenBucket, does_not_overflow) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  TokenBucket bucket(most, most);
  for (int i = 0; i < 10; ++i) bucket.owe(most, std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(bucket.has(1, std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(bucket.has(1, std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(bucket.take(most, 0)) << "more than a bucket ever holds";
}

TEST(Budget, sends_to_one_target_at_most_so_often) {
  Budget budget({});
  std::uint64_t sent = 0;
  for (std::int64_t now = 0; now < kSecond; now += kMillisecond) sent += budget.ask(7, 64, now) == Held::No ? 1 : 0;
  EXPECT_EQ(sent, 10U);
  EXPECT_EQ(budget.ask(7, 64, kSecond - 1), Held::Target);
  EXPECT_EQ(budget.ask(8, 64, kSecond - 1), Held::No) << "another target is not held";
}

TEST(Budget, lets_probes_to_one_target_come_together_as_long_as_the_second_holds_no_more) {
  Budget budget({.per_target_per_second = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(budget.ask(7, 64, 100 + i), Held::No);
  EXPECT_EQ(budget.ask(7, 64, kSecond + 99), Held::Target);
  EXPECT_EQ(budget.ask(7, 64, kSecond + 100), Held::No);
  EXPECT_EQ(budget.ask(7, 64, kSecond + 100), Held::Target) << "the second of them is not a second old";
  EXPECT_EQ(budget.ask(7, 64, kSecond + 101), Held::No);
}

TEST(Budget, never_sends_more_than_its_rate_and_a_burst) {
  Budget budget({.messages_per_second = 100, .per_target_per_second = 10});
  std::uint64_t sent = 0;
  for (std::int64_t now = 0; now < 10 * kSecond; now += kMillisecond)
    for (std::uint32_t target = 0; target < 5; ++target)
      sent += budget.ask(1000 + static_cast<std::uint32_t>(now / kMillisecond % 100) * 5 + target, 64, now) == Held::No
                  ? 1
                  : 0;
  EXPECT_GE(sent, 1000U);
  EXPECT_LE(sent, 1010U);
  EXPECT_EQ(budget.spent().messages, sent);
  EXPECT_EQ(budget.spent().bytes, 64 * sent);
  EXPECT_EQ(budget.spent().held, 50'000 - sent);
}

TEST(Budget, holds_bytes_that_full_size_probes_use_up) {
  Budget budget({.messages_per_second = 1'000'000, .bytes_per_second = 40'960});
  EXPECT_EQ(budget.ask(1, 4096, 0), Held::No);
  EXPECT_EQ(budget.ask(2, 4096, 0), Held::Bytes);
  EXPECT_EQ(budget.ask(2, 4096, 100 * kMillisecond), Held::No);
}

TEST(Budget, lets_answers_go_before_own_probes) {
  Budget budget({.messages_per_second = 100});
  std::uint64_t sent = 0, answered = 0;
  for (std::int64_t now = 0; now < 10 * kSecond; now += 10 * kMillisecond) {
    // More own probes than it may send, and one answer of two messages in 40 ms: 50 a second.
    for (std::uint32_t target = 0; target < 5; ++target)
      sent += budget.ask(static_cast<std::uint32_t>(now / (10 * kMillisecond)) % 100 * 5 + target, 64, now) == Held::No;
    if (now % (40 * kMillisecond) == 0) budget.answer(2, 128, now), ++answered;
  }
  EXPECT_GE(sent, 490U);
  EXPECT_LE(sent + 2 * answered, 1020U) << "both are paid out of one purse";
  EXPECT_EQ(budget.spent().messages, sent + 2 * answered);
  EXPECT_EQ(budget.spent().bytes, 64 * (sent + 2 * answered));
}

TEST(Budget, holds_own_probes_while_a_mesh_is_answered_and_no_longer_than_a_second_after) {
  for (const std::uint64_t messages : {1U, 10U, 100U, 8000U}) {
    Budget budget({.messages_per_second = messages, .bytes_per_second = 128 * messages});
    std::int64_t now = 0;
    std::uint64_t sent = 0;
    for (; now < 60 * kSecond; now += kSecond / 10) {
      budget.answer(messages, 128 * messages, now);  // ten times what it may
      budget.used_cpu(100 * kMillisecond, now);
      if (now > kSecond) sent += budget.ask(1, 64, now) == Held::No ? 1 : 0;
    }
    EXPECT_EQ(sent, 0U) << messages;
    EXPECT_EQ(budget.spent().messages, 600 * messages) << "each was answered and counts";
    EXPECT_EQ(budget.ask(1, 64, now + 2 * kSecond), Held::No) << messages << ": a second, and one's worth of its own";
  }
}

TEST(Budget, gives_half_of_messages_and_bytes_to_answers_on_demand) {
  Budget budget({.messages_per_second = 100, .bytes_per_second = 1'000'000});
  std::uint64_t answered = 0;
  for (std::int64_t now = 0; now < 10 * kSecond; now += kMillisecond)
    answered += budget.answer_on_demand(2, 128, now) ? 1 : 0;
  EXPECT_GE(answered, 250U);
  EXPECT_LE(answered, 255U);
  Budget narrow({.bytes_per_second = 81'920});
  answered = 0;
  for (std::int64_t now = 0; now < 10 * kSecond; now += kMillisecond)
    answered += narrow.answer_on_demand(2, 4160, now) ? 1 : 0;
  EXPECT_GE(answered * 4160, 400'000U);
  EXPECT_LE(answered * 4160, 409'600U + 8'192);
}

TEST(Budget, keeps_half_for_own_probes_whatever_is_asked_on_demand) {
  for (const std::uint64_t messages : {1U, 2U, 100U}) {
    Budget budget({.messages_per_second = messages, .bytes_per_second = 4160 * messages});
    std::uint64_t sent = 0, target = 0;
    for (std::int64_t now = 0; now < 100 * kSecond; now += 5 * kMillisecond) {
      (void)budget.answer_on_demand(2, 4160, now);
      const auto to = static_cast<std::uint32_t>(target++ % 1000);
      sent += budget.ask(to, 64, now) == Held::No ? 1 : 0;
    }
    EXPECT_GE(sent, 45 * messages) << messages;
  }
}

TEST(Budget, can_always_pay_one_answer_of_the_largest_size_on_demand) {
  Budget budget({.messages_per_second = 1, .bytes_per_second = 1});
  EXPECT_EQ(budget.ask(1, 64, 0), Held::No);
  EXPECT_TRUE(budget.answer_on_demand(2, 4160, 0));
  EXPECT_FALSE(budget.answer_on_demand(2, 4160, 0));
}

TEST(Budget, is_not_stopped_by_a_probe_on_demand) {
  Budget budget({.core_share = 0.05});
  budget.used_cpu_on_demand(100 * kSecond);
  EXPECT_EQ(budget.ask(1, 64, 0), Held::No);
  EXPECT_EQ(budget.spent().cpu_ns, static_cast<std::uint64_t>(100 * kSecond)) << "but it is part of the cost";
}

TEST(Budget, takes_nothing_where_it_refuses) {
  Budget budget({.messages_per_second = 10, .bytes_per_second = 40'960});
  EXPECT_EQ(budget.ask(1, 4000, 0), Held::No);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(budget.ask(2, 4000, 0), Held::Bytes);
  EXPECT_EQ(budget.ask(2, 64, 100 * kMillisecond), Held::No) << "neither the probe's turn nor the target's was used up";
}

TEST(Budget, keeps_to_its_share_of_a_core) {
  Budget budget({.core_share = 0.05});
  budget.used_cpu(500 * kMillisecond, 0);
  EXPECT_EQ(budget.ask(1, 64, 0), Held::Core) << "10 s worth of it are gone";
  EXPECT_EQ(budget.ask(1, 64, 1), Held::Core);
  EXPECT_EQ(budget.ask(1, 64, kMillisecond), Held::No);
  budget.used_cpu(kSecond, kMillisecond);
  EXPECT_EQ(budget.ask(2, 64, 900 * kMillisecond), Held::Core);
  EXPECT_EQ(budget.ask(2, 64, 1100 * kMillisecond), Held::No) << "of a debt a second's worth is kept";
  EXPECT_EQ(budget.spent().cpu_ns, 1'500'000'000U);
}

TEST(Budget, counts_cpu_time_below_a_microsecond_too) {
  Budget budget({.core_share = 1e-6});  // 10 µs in 10 s
  for (int i = 0; i < 100; ++i) budget.used_cpu(100, 0);
  EXPECT_EQ(budget.ask(1, 64, 0), Held::Core);
}

TEST(Budget, survives_absurd_limits) {
  for (const double share : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    Budget budget({.messages_per_second = 0, .bytes_per_second = 0, .per_target_per_second = 0, .core_share = share});
    EXPECT_EQ(budget.ask(1, 64, 0), Held::No) << "the burst";
    EXPECT_EQ(budget.ask(2, 64, 100 * kSecond), Held::Messages) << "a rate of 0";
    EXPECT_EQ(budget.ask(std::numeric_limits<std::uint32_t>::max(), 64, 0), Held::Target);
  }
}

TEST(Budget, backs_off_twice_as_long_at_each_trouble) {
  Budget budget({});
  std::int64_t now = 0;
  for (const std::int64_t pause : {100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    budget.trouble(now);
    budget.trouble(now + 1);  // of the same pause
    EXPECT_EQ(budget.ask(1, 64, now + pause * kMillisecond - 1), Held::BackOff) << pause;
    now += pause * kMillisecond;
    EXPECT_EQ(budget.ask(1, 64, now), Held::No) << pause;
  }
}

TEST(Budget, begins_with_a_short_pause_again_once_a_probe_was_answered) {
  Budget budget({});
  budget.trouble(0);
  budget.trouble(kSecond);
  budget.calm();
  budget.trouble(10 * kSecond);
  EXPECT_EQ(budget.ask(1, 64, 10 * kSecond + 100 * kMillisecond), Held::No);
}

TEST(Budget, has_a_name_for_every_reason) {
  for (int i = 0; i < static_cast<int>(Held::kCount); ++i) EXPECT_STRNE(name_of(static_cast<Held>(i)), "?") << i;
}

}  // namespace
}  // namespace roceready::probes

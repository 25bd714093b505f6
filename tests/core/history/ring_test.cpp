// SPDX-License-Identifier: Apache-2.0
#include "core/history/ring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace roceready {
namespace {

constexpr double kPromised = 1.0 / 2048;
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

/// Through one slot of a coded ring and back.
float through(float amount) {
  Ring ring(2, Ring::Precision::Coded);
  ring.set(0, amount);
  return ring.at(0);
}

TEST(Ring, holds_nothing_at_first_and_nothing_is_not_zero) {
  Ring ring(3, Ring::Precision::Coded);
  EXPECT_TRUE(std::isnan(ring.at(1)));
  EXPECT_FALSE(ring.sum(0, 3).any);
  ring.set(1, 0);
  EXPECT_EQ(ring.at(1), 0.0F);
  EXPECT_TRUE(ring.sum(0, 3).any);
  ring.set(1, kNothing);
  EXPECT_FALSE(ring.sum(0, 3).any);
}

TEST(Ring, gives_back_small_whole_amounts_as_they_are) {
  for (int whole = 0; whole <= 2048; ++whole) EXPECT_EQ(through(static_cast<float>(whole)), static_cast<float>(whole));
}

TEST(Ring, keeps_any_amount_that_a_nic_can_show_within_its_promise) {
  std::mt19937 random(20261130);
  std::uniform_real_distribution<double> exponent(-21, 43);
  for (int i = 0; i < 100'000; ++i) {
    const double amount = std::exp2(exponent(random));
    EXPECT_NEAR(static_cast<double>(through(static_cast<float>(amount))), amount, amount * kPromised);
  }
}

TEST(Ring, becomes_exact_for_what_its_codes_cannot_say) {
  for (const float strange : {1e-9F, 4e-7F, 1e13F, std::numeric_limits<float>::max()}) {
    Ring ring(4, Ring::Precision::Coded);
    const std::size_t coded = ring.memory_bytes();
    ring.set(0, 3);
    ring.set(1, kNothing);
    ring.set(2, strange);
    EXPECT_EQ(ring.at(0), 3.0F);
    EXPECT_TRUE(std::isnan(ring.at(1)));
    EXPECT_EQ(ring.at(2), strange);
    EXPECT_TRUE(std::isnan(ring.at(3)));
    EXPECT_EQ(ring.memory_bytes(), 2 * coded);
  }
}

TEST(Ring, of_whole_amounts_gives_back_what_was_set_and_becomes_exact_for_others) {
  for (const float amount : {0.0F, 1.0F, 65'534.0F}) {
    Ring ring(4, Ring::Precision::Whole);
    ring.set(3, amount);
    EXPECT_EQ(ring.at(3), amount);
    EXPECT_EQ(ring.memory_bytes(), 8U);
  }
  for (const float other : {0.5F, 1.25F, 1e-6F, 65'535.0F, 65'536.0F, 1e12F}) {
    Ring ring(4, Ring::Precision::Whole);
    ring.set(0, 7);
    ring.set(1, other);
    EXPECT_EQ(ring.at(0), 7.0F);
    EXPECT_EQ(ring.at(1), other);
    EXPECT_TRUE(std::isnan(ring.at(2)));
    EXPECT_EQ(ring.memory_bytes(), 16U);
  }
}

TEST(Ring, sums_the_same_in_any_precision) {
  std::mt19937 random(7);
  Ring coded(37, Ring::Precision::Coded), exact(37, Ring::Precision::Exact), wholes(37, Ring::Precision::Whole);
  for (std::size_t slot = 0; slot < 37; ++slot) {
    const float amount = random() % 5 == 0 ? kNothing : static_cast<float>(random() % 2000);
    coded.set(slot, amount);
    exact.set(slot, amount);
    wholes.set(slot, amount);
  }
  for (std::size_t from = 0; from < 37; ++from)
    for (std::size_t until = from; until <= 37; ++until) {
      EXPECT_EQ(coded.sum(from, until).amount, exact.sum(from, until).amount);
      EXPECT_EQ(wholes.sum(from, until).amount, exact.sum(from, until).amount);
      EXPECT_EQ(coded.sum(from, until).any, exact.sum(from, until).any);
      EXPECT_EQ(wholes.sum(from, until).any, exact.sum(from, until).any);
    }
}

}  // namespace
}  // namespace roceready

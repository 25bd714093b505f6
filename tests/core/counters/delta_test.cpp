// SPDX-License-Identifier: Apache-2.0
#include "core/counters/delta.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace roceready {
namespace {

struct Case {
  const char* name;
  std::uint64_t before, now;
  std::uint8_t width;
  std::uint64_t increase;
  Continuity continuity;
};

TEST(Delta, follows_the_width_of_the_counter) {
  constexpr std::uint64_t kMax = UINT64_MAX;
  const Case cases[] = {
      {"forward", 5, 9, 64, 4, Continuity::Continuous},
      {"equal", 5, 5, 32, 0, Continuity::Continuous},
      {"32-bit wrap", 0xFFFFFFF0U, 0x10, 32, 0x20, Continuity::Wrapped},
      {"32-bit reset", 1000000, 5, 32, 0, Continuity::Reset},
      {"distance of a quarter is a reset", 0xC0000000U, 0, 32, 0, Continuity::Reset},
      {"distance just below a quarter wraps", 0xC0000001U, 0, 32, 0x3FFFFFFFU, Continuity::Wrapped},
      {"64-bit backwards", kMax, 0, 64, 0, Continuity::Reset},
      {"64-bit absurd jump", 0, kMax, 64, 0, Continuity::Reset},
      {"64-bit jump of exactly half", 0, 1ULL << 63U, 64, 0, Continuity::Reset},
      {"the same from elsewhere", 7, (1ULL << 63U) + 7, 64, 0, Continuity::Reset},
      {"64-bit jump to half from elsewhere", 42, 1ULL << 63U, 64, 0, Continuity::Reset},
      {"64-bit jump that no counter makes", 0, 1ULL << 62U, 64, 0, Continuity::Reset},
      {"64-bit jump just below it", 0, (1ULL << 62U) - 1, 64, (1ULL << 62U) - 1, Continuity::Continuous},
      {"half by a counter of unknown width", 0, 1ULL << 63U, 0, 0, Continuity::Reset},
      {"to wider than its width", 5, 1ULL << 40U, 32, 0, Continuity::Reset},
      {"to just wider than its width", 5, 1ULL << 32U, 32, 0, Continuity::Reset},
      {"to the most of its width", 5, 0xFFFFFFFFU, 32, 0, Continuity::Reset},
      {"back from there", 0xFFFFFFFFU, 5, 32, 0, Continuity::Reset},
      {"32-bit jump just below half", 5, 0x80000004U, 32, 0x7FFFFFFFU, Continuity::Continuous},
      {"32-bit jump of half", 5, 0x80000005U, 32, 0, Continuity::Reset},
      {"16-bit jump", 5, 65535, 16, 65530, Continuity::Continuous},
      {"16-bit that was full", 65535, 4, 16, 0, Continuity::Reset},
      {"that stays wider than its width", 1ULL << 40U, (1ULL << 40U) + 9, 32, 9, Continuity::Continuous},
      {"back from wider than its width", 1ULL << 40U, 5, 32, 0, Continuity::Reset},
      {"16-bit wrap", 65530, 4, 16, 10, Continuity::Wrapped},
      {"wider than its width", 0x1FFFFFFFFULL, 3, 32, 0, Continuity::Reset},
      {"width 0 never wraps", 9, 1, 0, 0, Continuity::Reset},
  };
  for (const Case& c : cases) {
    const Delta delta = delta_of(c.before, c.now, c.width);
    EXPECT_EQ(delta.increase, c.increase) << c.name;
    EXPECT_EQ(delta.continuity, c.continuity) << c.name;
  }
}

}  // namespace
}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "core/counters/delta.h"

namespace roceready {

Delta delta_of(std::uint64_t before, std::uint64_t now, std::uint8_t width) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
  const bool narrow = width > 0 && width < 64;
  const auto fits = [&](std::uint64_t raw) { return !narrow || raw >> width == 0; };
  if (now >= before) {
    const std::uint64_t increase = now - before;
    // Out of its width at one step: a bad read. One that stays there is wider than its table says, and counts on.
    if (increase >= kHalf || fits(before) != fits(now)) return {0, Continuity::Reset};
    return {increase, Continuity::Continuous};
  }
  if (!narrow || !fits(before)) return {0, Continuity::Reset};
  const std::uint64_t range = std::uint64_t{1} << width;
  const std::uint64_t increase = (now - before) & (range - 1);
  return increase < range / 4 ? Delta{increase, Continuity::Wrapped} : Delta{0, Continuity::Reset};
}

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "core/counters/delta.h"

namespace roceready {

Delta delta_of(std::uint64_t before, std::uint64_t now, std::uint8_t width) {
  // Counts that no counter reaches between two reads: 2^62 octets are more than two months of 6 Tb/s. Counters of fewer
  // than 32 bits are of rare events, and stay where they are full.
  constexpr std::uint64_t kImplausible = std::uint64_t{1} << 62U;
  constexpr std::uint8_t kWide = 32;
  const bool narrow = width > 0 && width < 64;
  const std::uint64_t implausible = narrow && width >= kWide ? std::uint64_t{1} << (width - 1U) : kImplausible;
  const auto fits = [&](std::uint64_t raw) { return !narrow || raw >> width == 0; };
  if (now >= before) {
    const std::uint64_t increase = now - before;
    // Out of its width at one step: a bad read. One that stays there is wider than its table says, and counts on.
    if (increase >= implausible || fits(before) != fits(now)) return {0, Continuity::Reset};
    return {increase, Continuity::Continuous};
  }
  if (!narrow || !fits(before)) return {0, Continuity::Reset};
  const std::uint64_t range = std::uint64_t{1} << width;
  // All ones is what an unreadable register shows, and where a counter stays that does not wrap.
  if (before == range - 1) return {0, Continuity::Reset};
  const std::uint64_t increase = (now - before) & (range - 1);
  return increase < range / 4 ? Delta{increase, Continuity::Wrapped} : Delta{0, Continuity::Reset};
}

}  // namespace roceready

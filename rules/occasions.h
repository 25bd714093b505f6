// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rules/rule.h"

namespace roceready::rules {

/// How often a counter grew in the last `seconds` (at most 600), at moments at least a minute apart. Windows that end
/// now slide over a burst and split it sooner or later; this counts one burst once, wherever samples and windows cut
/// it: growth that a long sample may have seen right after the growth before it is the same occasion.
[[nodiscard]] inline std::size_t occasions(const Evidence& seen, CounterId id, int seconds,
                                           std::uint8_t lane = kNoLane) {
  constexpr double kApart = 60;
  std::size_t count = 0;
  double next = 0;  // how long ago growth is another occasion
  for (int ago = 0; ago < seconds; ++ago) {
    const Reading<Increase> growth = seen.increase(id, 1, lane, ago);
    if (ago < next || !growth || growth->amount < 1) continue;
    ++count;
    next = ago + std::max(kApart, growth->seconds + kApart / 2);
  }
  return count;
}

}  // namespace roceready::rules

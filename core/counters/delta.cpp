// SPDX-License-Identifier: Apache-2.0
#include "core/counters/delta.h"

namespace roceready {

Delta delta_of(std::uint64_t before, std::uint64_t now, std::uint8_t width) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
  if (now >= before) {
    const std::uint64_t increase = now - before;
    return increase > kHalf ? Delta{0, Continuity::Reset} : Delta{increase, Continuity::Continuous};
  }
  if (width == 0 || width >= 64) return {0, Continuity::Reset};
  const std::uint64_t range = std::uint64_t{1} << width;
  if (before >= range) return {0, Continuity::Reset};  // wider than its table says: no wrap can be inferred
  const std::uint64_t increase = (now - before) & (range - 1);
  return increase < range / 4 ? Delta{increase, Continuity::Wrapped} : Delta{0, Continuity::Reset};
}

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/base/time.h"

namespace roceready::daemon {

/// The time by which what is kept grows old. It is the wall clock's, but for one that stepped: a clock that is wrong
/// for an hour must not delete what was kept for months. A step is believed once it has stood for a day; until then
/// time goes on from where it was. Pure: time is given.
class AgeClock {
 public:
  static constexpr std::int64_t kStepNs = 3'600'000'000'000;     ///< what the wall clock is set by without a word
  static constexpr std::int64_t kStandsNs = 86'400'000'000'000;  ///< until a step is believed

  /// `newest_ns`: when anything was kept last, by this clock; 0: never. A node may have been off since, so the first
  /// day is not counted where that was long ago.
  AgeClock(const Instant& now, std::int64_t newest_ns)
      : seen_(ahead(now)), believed_(seen_), stands_since_ns_(now.monotonic_ns) {
    if (newest_ns > 0 && now.wall_ns - newest_ns > kStandsNs) believed_ = newest_ns - now.monotonic_ns;
  }
  /// Wall time, at most what the wall clock says.
  [[nodiscard]] std::int64_t at(const Instant& now) {
    const std::int64_t offset = ahead(now);
    if (is_step(offset - seen_)) stands_since_ns_ = now.monotonic_ns;
    seen_ = offset;
    if (!is_step(offset - believed_) || now.monotonic_ns - stands_since_ns_ >= kStandsNs) believed_ = offset;
    return std::min(now.wall_ns, now.monotonic_ns + believed_);
  }

 private:
  [[nodiscard]] static std::int64_t ahead(const Instant& now) { return now.wall_ns - now.monotonic_ns; }
  [[nodiscard]] static bool is_step(std::int64_t change) { return std::abs(change) > kStepNs; }
  std::int64_t seen_, believed_, stands_since_ns_;  // offsets of the wall clock to the monotonic one
};

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace roceready {

/// A moment on both clocks. Durations are differences of monotonic_ns only; wall_ns is for people.
struct Instant {
  std::int64_t monotonic_ns = 0;  ///< CLOCK_BOOTTIME: runs through suspend, never steps
  std::int64_t wall_ns = 0;       ///< since the epoch, UTC
  bool operator==(const Instant&) const = default;
};

[[nodiscard]] inline double seconds_between(const Instant& from, const Instant& to) {
  return static_cast<double>(to.monotonic_ns - from.monotonic_ns) * 1e-9;
}

/// RFC 3339 in UTC with milliseconds: 2026-01-31T03:04:05.678Z.
[[nodiscard]] std::string rfc3339(std::int64_t wall_ns);
/// Inverse of rfc3339; fractions of a second optional, zone must be Z.
[[nodiscard]] Result<std::int64_t> parse_rfc3339(const std::string& text);
/// `200ms`, `2s`, `5m`, `24h` in nanoseconds; at most 10 years.
[[nodiscard]] Result<std::int64_t> parse_duration(const std::string& text);
/// For a person: `850 ms`, `2 s`, `3 min`, `5 h`, `2 d`.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace roceready

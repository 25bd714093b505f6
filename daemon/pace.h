// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roceready::daemon {

/// Fixed rate: ticks at start + n × interval, whatever a tick takes. Ticks that would lie in the past are skipped,
/// never made up for, so that samples never overlap and never bunch. Pure: time is given, monotonic nanoseconds.
class Pace {
 public:
  Pace(std::int64_t start_ns, std::int64_t interval_ns) : next_ns_(start_ns), interval_ns_(interval_ns) {}

  [[nodiscard]] std::int64_t due_ns() const { return next_ns_; }
  [[nodiscard]] std::int64_t interval_ns() const { return interval_ns_; }
  /// A tick that was due has ended now. Returns how many later ones were missed meanwhile.
  std::uint64_t ticked(std::int64_t now_ns) {
    next_ns_ += interval_ns_;
    if (next_ns_ > now_ns) return 0;
    const std::int64_t missed = (now_ns - next_ns_) / interval_ns_ + 1;
    next_ns_ += missed * interval_ns_;
    return static_cast<std::uint64_t>(missed);
  }
  /// Another interval, counted from the last due tick.
  void change(std::int64_t interval_ns) {
    next_ns_ += interval_ns - interval_ns_;
    interval_ns_ = interval_ns;
  }

 private:
  std::int64_t next_ns_, interval_ns_;
};

}  // namespace roceready::daemon

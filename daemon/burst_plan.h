// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace roceready::daemon {

/// When to poll faster than samples are taken. Pure: time is given, monotonic nanoseconds.
/// A burst begins when trouble is suspected, lasts kLengthNs, and is followed by a rest in which suspicion begins none.
/// Budget: a step may take at most a twentieth of the time to the next one; where a driver is slow, steps get rarer.
class BurstPlan {
 public:
  static constexpr std::int64_t kStepNs = 100'000'000;
  static constexpr std::int64_t kLengthNs = 30'000'000'000;
  static constexpr std::int64_t kRestNs = 300'000'000'000;
  static constexpr std::int64_t kBudget = 20;

  /// Trouble is suspected. True when a burst begins now.
  bool suspect(std::int64_t now_ns) {
    if (end_ns_ != 0 && now_ns < end_ns_ + kRestNs) return false;
    end_ns_ = now_ns + kLengthNs;
    next_ns_ = now_ns;
    ++begun_;
    return true;
  }
  /// When the next step is due; nothing outside a burst.
  [[nodiscard]] std::optional<std::int64_t> next_step_ns(std::int64_t now_ns) const {
    if (now_ns >= end_ns_ || next_ns_ >= end_ns_) return {};
    return next_ns_;
  }
  /// A step has ended now and took that long.
  void stepped(std::int64_t now_ns, std::int64_t took_ns) {
    next_ns_ = now_ns + std::max(kStepNs - took_ns, kBudget * took_ns);
  }
  [[nodiscard]] bool active(std::int64_t now_ns) const { return now_ns < end_ns_; }
  [[nodiscard]] std::uint64_t begun() const { return begun_; }

 private:
  std::int64_t end_ns_ = 0, next_ns_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace roceready::daemon

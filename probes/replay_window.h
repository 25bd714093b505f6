// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>

namespace roceready::probes {

/// Sequences seen in one direction of one session, so that each is taken once whatever the order (as RFC 4303, 3.4.3).
/// To be asked only of messages whose MAC is right: whoever knows the key can move the window, and harms himself alone.
/// Threads: one. Cost: 144 bytes a window.
class ReplayWindow {
 public:
  static constexpr std::uint64_t kSpan = 1024;

  /// True once for each sequence that is not kSpan or more below the highest taken; it then counts as seen. The first
  /// sequence may be any.
  [[nodiscard]] bool take(std::uint64_t sequence);

 private:
  std::bitset<kSpan> seen_;  ///< by sequence modulo kSpan
  std::uint64_t highest_ = 0;
  bool any_ = false;
};

}  // namespace roceready::probes

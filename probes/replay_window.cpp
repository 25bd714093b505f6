// SPDX-License-Identifier: Apache-2.0
#include "probes/replay_window.h"

namespace roceready::probes {

bool ReplayWindow::take(std::uint64_t sequence) {
  if (!any_) {
    any_ = true;
    highest_ = sequence;
  } else if (sequence > highest_) {
    // Those skipped on the way up are unseen: their places hold what was seen a window ago.
    if (sequence - highest_ >= kSpan)
      seen_.reset();
    else
      for (std::uint64_t skipped = highest_ + 1; skipped < sequence; ++skipped) seen_.reset(skipped % kSpan);
    highest_ = sequence;
  } else if (highest_ - sequence >= kSpan || seen_.test(sequence % kSpan)) {
    return false;
  }
  seen_.set(sequence % kSpan);
  return true;
}

}  // namespace roceready::probes

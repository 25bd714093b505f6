// SPDX-License-Identifier: Apache-2.0
#include "probes/loss_sides.h"

#include <algorithm>

namespace roceready::probes {

LostSides LossSides::ended(std::uint64_t sequence, End end, bool small, std::optional<std::uint32_t> arrived,
                           std::uint64_t first_open) {
  const auto place =
      std::find_if(fates_.rbegin(), fates_.rend(), [&](const Fate& fate) { return fate.sequence < sequence; });
  fates_.insert(place.base(), Fate{sequence, end, small, arrived});
  LostSides out;
  while (!fates_.empty() && fates_.front().sequence < first_open) {
    const LostSides known = take(fates_.front());
    out.there += known.there;
    out.back += known.back;
    fates_.pop_front();
  }
  return out;
}

LostSides LossSides::take(const Fate& fate) {
  if (fate.end == End::Lost) {
    ++lost_;
    small_lost_ += fate.small ? 1 : 0;
  }
  if (fate.end != End::Answered || !fate.arrived) return {};
  // Overtaking makes single steps too small or too large, so more than were lost did not come through it.
  const auto risen = static_cast<std::int32_t>(*fate.arrived - arrived_) - 1;
  const auto back = static_cast<std::uint32_t>(std::clamp<std::int64_t>(risen, 0, lost_));
  LostSides out;
  if (back == lost_)
    out.back = small_lost_;
  else if (back == 0)
    out.there = small_lost_;
  else if (small_lost_ == lost_)
    out = {lost_ - back, back};
  // else some of several sizes arrived, and nobody knows which
  arrived_ = *fate.arrived;
  small_lost_ = lost_ = 0;
  return out;
}

}  // namespace roceready::probes

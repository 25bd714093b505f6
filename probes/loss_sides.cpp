// SPDX-License-Identifier: Apache-2.0
#include "probes/loss_sides.h"

#include <algorithm>

namespace roceready::probes {
namespace {

constexpr std::size_t kRemembered = 128;  // losses that may still be answered

}  // namespace

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
    losses_.push_back({fate.sequence, fate.small, Side::Open});
    if (losses_.size() > kRemembered) losses_.pop_front();
  }
  if (fate.end != End::Answered || !fate.arrived) return {};
  // Overtaking makes single steps too small or too large, so more than were lost did not come through it.
  const auto risen = static_cast<std::int32_t>(*fate.arrived - arrived_) - 1;
  const auto back = static_cast<std::uint32_t>(std::clamp<std::int64_t>(risen, 0, lost_));
  LostSides out;
  Side side = Side::Unknown;  // where some of several sizes arrived, nobody knows which
  if (back == lost_) {
    out.back = small_lost_;
    side = Side::Back;
  } else if (back == 0) {
    out.there = small_lost_;
    side = Side::There;
  } else if (small_lost_ == lost_) {
    out = {lost_ - back, back};
    side = Side::Back;  // of whichever is answered after all: it arrived
  }
  settle(side);
  arrived_ = *fate.arrived;
  small_lost_ = lost_ = 0;
  return out;
}

void LossSides::settle(Side side) {
  for (auto loss = losses_.rbegin(); loss != losses_.rend() && loss->side == Side::Open; ++loss) loss->side = side;
}

LostSides LossSides::came_late(std::uint64_t sequence, std::optional<std::uint32_t> arrived) {
  for (Fate& fate : fates_)
    if (fate.sequence == sequence && fate.end == End::Lost) {
      fate.end = End::Answered;
      fate.arrived = arrived;
      return {};
    }
  const auto loss =
      std::find_if(losses_.begin(), losses_.end(), [&](const Loss& each) { return each.sequence == sequence; });
  if (loss == losses_.end()) return {};
  const Loss was = *loss;
  losses_.erase(loss);
  if (was.side == Side::Open) {
    --lost_;
    small_lost_ -= was.small ? 1 : 0;
    ++arrived_;  // the peer has counted it
    return {};
  }
  LostSides out;
  if (was.small && was.side == Side::There) out.there = 1;
  if (was.small && was.side == Side::Back) out.back = 1;
  return out;
}

}  // namespace roceready::probes

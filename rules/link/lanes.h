// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rules/rule.h"

namespace roceready::rules {

/// How one lane of the link is modulated, by its bit rate: 25 Gbit/s and less are NRZ, 50 and more are PAM4.
struct LaneRate {
  double bits_per_second = 0;
  [[nodiscard]] bool pam4() const { return bits_per_second >= 45e9; }
  [[nodiscard]] bool fast_nrz() const { return !pam4() && bits_per_second >= 24e9; }
};

/// Rate of each lane; absent where speed or lanes are not known.
[[nodiscard]] inline Reading<LaneRate> lane_rate(const Evidence& seen) {
  const Reading<LinkModes>& modes = seen.member().ethtool.link_modes;
  if (!modes) return modes.absent();
  if (!modes->speed_bits_per_second) return modes->speed_bits_per_second.absent();
  if (!modes->lanes) return modes->lanes.absent();
  if (*modes->lanes == 0) return Absent{Why::Malformed, "ethtool says that the link has 0 lanes"};
  return LaneRate{static_cast<double>(*modes->speed_bits_per_second) / *modes->lanes};
}

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rules/rule.h"
#include "rules/stated_profile.h"

namespace roceready::rules {

/// For a fact that a rule cannot do without. False where it is absent, and that was written: what the driver can never
/// show is outside coverage, all else is unknown.
template <class T>
[[nodiscard]] bool shown(Outcomes& out, const Reading<T>& fact, const std::string& what) {
  if (fact) return true;
  cannot_read(out, fact.absent(), what);
  return false;
}

/// A wrong setting counts as info while DCBX may still change it, and the sentence says so.
[[nodiscard]] inline Severity unless_converging(const Evidence& seen, Severity severity, std::string& sentence) {
  if (!may_still_converge(seen)) return severity;
  sentence += " The link came up a moment ago and DCBX may still change that.";
  return Severity::Info;
}

/// Priorities beside `priority` that the map puts into the same class or buffer, as bits.
template <class Map>
[[nodiscard]] std::uint32_t sharing(const Map& map, std::uint8_t priority) {
  std::uint32_t out = 0;
  for (std::uint32_t other = 0; other < kPriorities; ++other)
    if (other != priority && map[other] == map[priority % kPriorities]) out |= 1U << other;
  return out;
}

[[nodiscard]] inline const char* switched(bool on) {
  return on ? "on" : "off";
}

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/rule.h"

namespace roceready::rules {

/// The profile, for a rule that applies in every RoCE mode and cannot do without one. Null: that was written.
[[nodiscard]] inline const Profile* stated_profile(const Evidence& seen, Outcomes& out) {
  if (seen.profile() == nullptr)
    out.not_looked_at("no_profile", "what is expected depends on the profile",
                      "--profile NAME, or profile: NAME in the configuration");
  return seen.profile();
}

/// Whether the design gives RoCE a priority of its own. Where it does not, roce_priority and roce_dscp are nobody's.
[[nodiscard]] inline bool has_class(const Profile& profile) {
  return profile.trust != "any" || profile.pfc_priorities != 0;
}

/// A limit whose default the profile knows better: the user's number where it was set, else the profile's.
[[nodiscard]] inline double limit_or_profile(const Evidence& seen, const char* name, double of_profile) {
  return seen.limit_is_set(name) ? seen.limit(name) : of_profile;
}

/// Settings may follow the switch while DCBX is willing: for a minute after the link came up, a wrong one is not yet a
/// fault.
[[nodiscard]] inline bool may_still_converge(const Evidence& seen) {
  constexpr double kGraceSeconds = 60;
  constexpr std::uint32_t kHost = 1, kManagedByFirmware = 2;
  const DcbFacts& dcb = seen.member().dcb;
  const std::uint32_t dcbx = dcb.dcbx.value_or(kHost);
  // mlx5 says that its firmware runs DCBX by leaving the host's flag out.
  const bool by_firmware = (dcbx & kManagedByFirmware) != 0 || (seen.vendor() == "nvidia" && (dcbx & kHost) == 0);
  const bool willing = (dcb.ets && dcb.ets->willing.value_or(false)) || by_firmware;
  if (seen.one_shot() || !willing) return false;
  for (const HistoryEvent& event : seen.history().events())
    if (event.kind == HistoryEvent::Kind::LinkUp && event.owner == seen.member().link.name &&
        seconds_between(event.at, midpoint(seen.now())) <= kGraceSeconds)
      return true;
  return false;
}

}  // namespace roceready::rules

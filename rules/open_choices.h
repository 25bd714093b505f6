// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/snapshot/snapshot.h"
#include "rules/profile.h"

namespace roceready::rules {

/// What a profile leaves to the site, as the NICs in scope show it. They must agree: where they differ there is no
/// choice to see, and the profile holds as it stands.
struct OpenChoices {
  std::optional<std::uint8_t> priority;     ///< the only one with PFC, among Profile::priority_choices
  bool without_congestion_control = false;  ///< where it is optional: all NICs show it, as off
  bool operator==(const OpenChoices&) const = default;
};

/// What the newest snapshot shows. A choice that was seen before stands while nothing else is shown: PFC that got lost
/// is missing where it was, and a file that cannot be read for once switches nothing on.
[[nodiscard]] OpenChoices look_at_choices(const Profile& profile, const Snapshot& now, const OpenChoices& before);
/// The profile with these choices made.
[[nodiscard]] Profile with_choices(Profile profile, const OpenChoices& choices);
/// For the report: ", and of what it leaves open …"; "" where nothing was chosen otherwise.
[[nodiscard]] std::string choice_words(const OpenChoices& choices);

}  // namespace roceready::rules

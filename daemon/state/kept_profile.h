// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "rules/engine.h"

namespace roceready::daemon {

/// The kept profile as JSON and back; nothing where it makes no sense or names a profile that this version does not
/// know.
[[nodiscard]] std::string kept_profile_text(const rules::KeptProfile& profile);
[[nodiscard]] std::optional<rules::KeptProfile> kept_profile_from(const std::string& text);
/// What is to be kept of a report: a profile that was inferred in it.
[[nodiscard]] std::optional<rules::KeptProfile> inferred_in(const rules::Report& report);

}  // namespace roceready::daemon

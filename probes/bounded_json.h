// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"

namespace roceready::probes {

/// JSON from a stranger: Malformed where it is longer than `most` bytes, nested deeper than 8 levels or not JSON. Of a
/// member that stands twice the last one counts.
[[nodiscard]] Result<nlohmann::json> parse_bounded(std::string_view text, std::size_t most);

/// Members sorted by name, no blanks; the same bytes on every node for the same value.
[[nodiscard]] std::string canonical(const nlohmann::json& value);

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// When the fault that the rule of `seen` counts grew in the last ten minutes, newest first: of the first of its
/// counters that did, traffic aside, in each ten seconds in which it grew by at least a tenth of the most. What is less
/// is the background that the fault rises from. With less than a minute between it is one stretch. Where it last grew
/// earlier, up to a day ago, that alone. Losses of carrier are also told by events; a link that is down lasts until
/// now. Resolution: ten seconds, or the time between two reads where that is more. Empty: nothing tells.
[[nodiscard]] std::vector<Stretch> stretches_of(const Evidence& seen, std::optional<std::uint8_t> priority);

}  // namespace roceready::rules

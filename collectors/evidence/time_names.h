// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roceready::evidence {

/// Whether two paths differ by times alone: a number that stands by itself or behind a word like "run" or "stats"
/// ("stats_1", "run2"), or a word ("old", "after", "baseline"). Numbers of hosts, ports and addresses ("node_1",
/// "eth2", "10.0.0.1") are no times.
[[nodiscard]] bool differ_by_time(std::string_view a, std::string_view b);

}  // namespace roceready::evidence

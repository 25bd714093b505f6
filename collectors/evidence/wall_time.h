// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace roceready::evidence {

/// A line that is a time and nothing else, as `date`, `date -u`, `date +%s`, `date -Is` and loops around them print it:
/// "Mon Nov 30 14:36:55 UTC 2026", "Mon Nov 30 02:36:55 PM CET 2026", "2026-11-30T14:36:55+01:00",
/// "2026-11-30 14:36:55.123", "1796049415". Nanoseconds since the epoch; a zone that is only a name counts as UTC,
/// since differences are what matters. Years 2000–2100.
[[nodiscard]] std::optional<std::int64_t> wall_time_line(std::string_view line);
/// A time within a name: "2026-11-30_143655", "20261130-143655", "20261130T143655Z", "1796049415".
[[nodiscard]] std::optional<std::int64_t> wall_time_in_name(std::string_view name);

}  // namespace roceready::evidence

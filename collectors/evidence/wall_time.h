// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace roceready::evidence {

struct WallTime {
  std::int64_t ns = 0;  ///< since the epoch; of a clock whose zone is but a name as if it were UTC
  std::string clock;    ///< "UTC", "CET" and the like, "local" where no zone is told, "name" of a time in a name
  bool operator==(const WallTime&) const = default;
};

/// A line that is a time and nothing else, as `date`, `date -u`, `date +%s`, `date -Is` and loops around them print it:
/// "Mon Nov 30 14:36:55 UTC 2026", "Mon Nov 30 02:36:55 PM CET 2026", "2026-11-30T14:36:55+01:00",
/// "2026-11-30 14:36:55.123", "1796049415". Years 2000–2100. Names of zones are ambiguous: their clocks are their own.
[[nodiscard]] std::optional<WallTime> wall_time_line(std::string_view line);
/// A time within a name: "2026-11-30_143655", "20261130-143655", "20261130T143655Z", "1796049415".
[[nodiscard]] std::optional<WallTime> wall_time_in_name(std::string_view name);

}  // namespace roceready::evidence

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "daemon/state/incident_list.h"

namespace roceready::daemon {

struct IncidentFilter {
  std::optional<std::int64_t> since_wall_ns;  ///< those that lasted then or later
  std::string device;                         ///< "" for all
  std::optional<std::uint32_t> port;
};

/// `24h` (before `now_wall_ns`) or RFC 3339.
[[nodiscard]] Result<std::int64_t> parse_since(const std::string& text, std::int64_t now_wall_ns);
[[nodiscard]] IncidentList filtered(const IncidentList& list, const IncidentFilter& filter);
/// `roceready.incidents/1` (docs/http.md).
[[nodiscard]] std::string incidents_json(const IncidentList& list, std::int64_t now_wall_ns);
/// A table, newest last, each with what was seen at its peak.
[[nodiscard]] std::string incidents_text(const IncidentList& list, std::int64_t now_wall_ns, bool colour);

}  // namespace roceready::daemon

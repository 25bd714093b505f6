// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "rules/report.h"

namespace roceready::daemon {

/// What part of a report somebody asked for.
struct ReportFilter {
  std::string device;                                    ///< "" for all ports
  std::optional<std::uint32_t> port;                     ///< absent: every port of the device
  rules::Severity min_severity = rules::Severity::Info;  ///< findings below are left out; the verdict never changes
  [[nodiscard]] bool everything() const { return device.empty() && min_severity == rules::Severity::Info; }
};

/// `mlx5_0` or `mlx5_0/1` into a filter.
[[nodiscard]] Result<ReportFilter> parse_port_filter(const std::string& text);
/// `info`, `warning`, `critical`; a Usage error names the nearest.
[[nodiscard]] Result<rules::Severity> parse_severity(const std::string& text);

/// The part of a report that a filter asks for. With a port, verdict, score and coverage become those of the worst
/// selected port in scope. A Usage error names the ports that exist when there is none of that name.
[[nodiscard]] Result<rules::Report> filtered(const rules::Report& report, const ReportFilter& filter);

}  // namespace roceready::daemon

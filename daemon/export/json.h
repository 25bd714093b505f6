// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rules/report.h"

namespace roceready::daemon {

/// The report as JSON, `roceready.report/1` (docs/report.schema.json): keys in the order of the contract, two blanks of
/// indentation, a newline at the end. Depends on nothing but the report.
[[nodiscard]] std::string report_json(const rules::Report& report);
/// `ports[]` of the report alone, for /api/v1/ports.
[[nodiscard]] std::string ports_json(const rules::Report& report);

/// What files that hold nothing for us were found to be: {"schema", "verdict": "unknown", "files": {…}}.
[[nodiscard]] std::string nothing_json(const rules::FilesRead& files);

/// What a gate needs of a report that another process made. Empty verdict: the text is no such report.
[[nodiscard]] std::string verdict_in_report_json(const std::string& text);
/// `detail` of an application/problem+json; the text itself when it is none.
[[nodiscard]] std::string problem_detail_in(const std::string& text);

}  // namespace roceready::daemon

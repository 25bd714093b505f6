// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "daemon/export/paint.h"
#include "rules/report.h"

namespace roceready::daemon {

/// The part of the text report about findings: causes with what was seen, why it matters and what to type, each with
/// its symptoms folded under it; info findings only when `verbose`.
[[nodiscard]] std::string findings_text(const rules::Report& report, const Paint& paint, bool verbose);

}  // namespace roceready::daemon

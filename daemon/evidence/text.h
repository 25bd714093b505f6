// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "daemon/export/paint.h"
#include "rules/report.h"

namespace roceready::daemon {

/// The part of a text report that says how files were understood and what to ask for. `verbose` lists every unread
/// line.
[[nodiscard]] std::string files_text(const rules::FilesRead& files, const Paint& paint, bool verbose);
/// What is said where files hold nothing for us.
[[nodiscard]] std::string nothing_text(const rules::FilesRead& files, bool verbose);

}  // namespace roceready::daemon

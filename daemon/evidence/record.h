// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/evidence/judge.h"

namespace roceready::daemon {

/// Writes what files say as a recorded host of layout `snapshot` (docs/recorded-hosts.md): host.json, snapshots.json,
/// config.yaml, report.json and places.json. One host goes to `directory` itself, several to a directory each below it,
/// by name. The directory is made (its parent must exist) or empty. Returns the directories written; what a failure
/// left unfinished is removed. An error too where the files hold nothing for us.
[[nodiscard]] Result<std::vector<std::filesystem::path>> record_evidence(const EvidenceRequest& request,
                                                                         const std::filesystem::path& directory);

}  // namespace roceready::daemon

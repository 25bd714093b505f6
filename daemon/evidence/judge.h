// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "daemon/evidence/open.h"
#include "rules/report.h"

namespace roceready::daemon {

/// What somebody sent and what is said of it.
struct EvidenceRequest {
  std::vector<std::string> paths;  ///< files, folders, archives, "-"
  OpenLimits limits;
  std::int64_t interval_ns = 0;  ///< between two outputs of one command; 0: by the files
  std::string device;            ///< RDMA device of outputs that name none
  std::optional<std::string> config_file;
  std::map<std::string, std::string> overrides;
};

/// One report for each host that the files tell of, by name; each finding names file and line. No host: the files hold
/// nothing for us, and `nothing` says what was skipped and unread.
struct EvidenceReports {
  std::vector<rules::ReportPtr> hosts;
  std::vector<evidence::HostEvidence> read;  ///< the hosts themselves, in the same order
  rules::FilesRead nothing;
};
[[nodiscard]] Result<EvidenceReports> judge_evidence(const EvidenceRequest& request);

/// What to collect when nobody knows yet what is wrong: the shortest list that covers most rules.
[[nodiscard]] const std::vector<std::string>& commands_to_collect();

}  // namespace roceready::daemon

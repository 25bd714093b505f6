// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "collectors/selection.h"
#include "core/base/result.h"
#include "core/history/history.h"
#include "core/host/recording.h"
#include "rules/engine.h"
#include "rules/evidence.h"
#include "rules/report.h"

/// From recorded bytes to a report, the way that a one-shot goes.
namespace roceready::hosts {

struct Judged {
  rules::ReportPtr report;
  std::map<std::string, rules::Outcome> outcomes;  ///< by "rule@subject key", passes included
};

/// All samples of a recording, judged at the last one. Judges as `info.profile` says.
[[nodiscard]] Judged judge(const Recording& recording);
[[nodiscard]] Judged judge(const std::vector<Snapshot>& snapshots, const std::string& profile);
/// The same with what a site says beside the name of its profile.
[[nodiscard]] Judged judge(const std::vector<Snapshot>& snapshots, rules::JudgeOptions options);
/// One after the other, the way that a daemon goes which compares settings with those that it saw first.
[[nodiscard]] Judged judge_as_daemon(const std::vector<Snapshot>& snapshots, rules::JudgeOptions options);
/// A host directory of either layout. Beside a host of layout `snapshot`, site.json may hold what the configuration of
/// that site says: {"role": "gpu", "overrides": {"gpudirect_required": "true"}, "gid_index": 1}.
[[nodiscard]] Result<Judged> judge(const std::filesystem::path& directory);

/// What a host directory of either layout holds to be judged: its samples, and what its site says.
struct Replay {
  std::vector<Snapshot> snapshots;
  rules::JudgeOptions options;
};
[[nodiscard]] Result<Replay> replay(const std::filesystem::path& directory);

[[nodiscard]] std::vector<Snapshot> sample_all(const Recording& recording);
[[nodiscard]] Selection selection_of(const RecordedHostInfo& info);
[[nodiscard]] const char* name_of(rules::Outcome outcome);
/// Directories of tests/hosts with a host.json, sorted.
[[nodiscard]] std::vector<std::filesystem::path> host_directories();

}  // namespace roceready::hosts

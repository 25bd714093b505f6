// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/host/recording.h"

/// The made-up hosts under tests/hosts (layout raw): what each machine is, and what must be said of it.
namespace roceready::hosts {

struct Story {
  std::string name;
  Recording recording;
  nlohmann::json expect;  ///< expect.json, see expectation.h
};

/// All stories, by name. Deterministic.
[[nodiscard]] std::vector<Story> stories();

/// Those of other vendors than NVIDIA: one healthy machine each; part of stories().
[[nodiscard]] std::vector<Story> vendor_stories();

/// Questions that the collectors ask of this host and that no answer exists for: files and directories that are not
/// there are recorded as ENOENT, so that the recording says so instead of "was never asked".
void record_absences(Recording& recording);

/// Writes DIR/<story>/: the recording and expect.json. The directory must not exist.
Result<void> write_story(const std::filesystem::path& directory, const Story& story);

}  // namespace roceready::hosts

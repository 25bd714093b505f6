// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/host/recording.h"

namespace roceready {

/// Writes a recorded host (layout raw, docs/recorded-hosts.md) sample by sample, so that a long recording needs memory
/// for the latest answers only. Of each sample only the answers that differ from the latest earlier ones are written.
///
/// Limits: those of read_recording, refused here before they are written.
/// On disk: nothing outside the directory. The last file is clock.json: without it the directory does not read as a
/// recording. A writer that is destroyed without finish() removes what it wrote.
class RecordWriter {
 public:
  /// Creates the directory (its parent must exist) or takes an empty one; anything else is an error.
  static Result<RecordWriter> create(const std::filesystem::path& directory, const RecordedHostInfo& info);
  ~RecordWriter();
  RecordWriter(RecordWriter&& other) noexcept;
  RecordWriter& operator=(RecordWriter&&) = delete;
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// A sample that could not be written ends the recording: every later call gives the same error.
  Result<void> add(const RecordedSample& sample);
  /// Writes host.json anew, with what is known only after the first sample: kernel and driver.
  Result<void> describe(const RecordedHostInfo& info);
  Result<void> finish();

 private:
  explicit RecordWriter(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Result<void> write_sample(const RecordedSample& sample);
  Result<void> write_answers(const std::filesystem::path& directory, const std::map<std::string, Answer>& changed);
  Result<void> write_json(const std::filesystem::path& path, const std::string& text);
  void discard() noexcept;

  std::filesystem::path directory_;
  bool created_directory_ = false;
  bool active_ = true;
  Result<void> failed_;
  std::map<std::string, Answer> latest_;
  std::vector<std::string> clock_;  ///< one JSON object a sample
};

/// The whole of a recording at once. On failure the directory is as it was before.
Result<void> write_recording(const std::filesystem::path& directory, const Recording& recording);

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/sampler.h"
#include "config/settings.h"
#include "core/host/recording.h"
#include "rules/engine.h"

namespace roceready::daemon {

inline constexpr const char* kDefaultConfigFile = "/etc/roceready/roceready.yaml";

/// Every option: those of the program, and the limits of all rules.
[[nodiscard]] std::vector<config::Option> all_options();

/// The file, if any, then what the command line says, with all problems of values and of their combination.
[[nodiscard]] config::LoadOutcome load_options(const std::optional<std::string>& file,
                                               const std::map<std::string, std::string>& overrides);

/// A configuration and where it came from.
struct Configuration {
  config::Loaded loaded;
  std::string file;  ///< "" when there is none
};

/// Whether a configuration can be read: a regular file, so that no pipe or device can hold the program up.
[[nodiscard]] Result<void> check_readable(const std::string& file);
/// The configuration of a command: the file named, else the default file where it exists, else built-in defaults; then
/// what the command line says. All problems as lines of one Usage error; a file that cannot be read is an Io error.
[[nodiscard]] Result<Configuration> load_configuration(const std::optional<std::string>& file,
                                                       const std::map<std::string, std::string>& overrides);
/// The configuration for a recorded host: the file named, else DIR/config.yaml where the recording brings one. Never
/// this machine's. What host.json says of profile and ports holds where neither file nor command line says anything.
[[nodiscard]] Result<Configuration> load_recorded_configuration(const std::string& directory,
                                                                const RecordedHostInfo& info,
                                                                const std::optional<std::string>& file,
                                                                std::map<std::string, std::string> overrides);

/// The configuration for files of another machine: the file named, else built-in defaults. Never this machine's.
[[nodiscard]] Result<Configuration> load_foreign_configuration(const std::optional<std::string>& file,
                                                               const std::map<std::string, std::string>& overrides);

[[nodiscard]] rules::ProfileChanges profile_changes(const config::Settings& settings);
[[nodiscard]] SamplerOptions sampler_options(const config::Settings& settings);
[[nodiscard]] rules::JudgeOptions judge_options(const config::Settings& settings, bool one_shot);

}  // namespace roceready::daemon

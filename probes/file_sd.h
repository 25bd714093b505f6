// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace roceready::probes {

/// One group of a Prometheus file_sd file, as it stands there.
struct FileSdGroup {
  std::vector<std::string> targets;
  std::map<std::string, std::string> labels;
};

/// The groups of a file_sd file in JSON or YAML. Malformed: not a list of maps with a list `targets` and an optional
/// map `labels` of texts, aliases in YAML, more than `most` targets or labels in all, or larger than 16 MiB. Source:
/// Prometheus, configuration, file_sd_config.
[[nodiscard]] Result<std::vector<FileSdGroup>> parse_file_sd(std::string_view text, std::size_t most);

}  // namespace roceready::probes

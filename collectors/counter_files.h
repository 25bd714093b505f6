// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/reading.h"
#include "core/host/host.h"

namespace roceready {

/// A counter's file as a number; nothing for "N/A (no PMA)" and any other text.
[[nodiscard]] std::optional<std::uint64_t> parse_counter(std::string_view text);

/// Counters of a directory with one file each (hw_counters, counters). `lifespan` is a setting and is left out.
struct CounterFiles {
  std::vector<std::string> names;
  std::vector<std::uint64_t> values;
  Absent note;  ///< which files gave no number and why; Why::NotRecorded: all did
};
/// Fails when the directory cannot be listed, or no file of it gave a number.
[[nodiscard]] Result<CounterFiles> read_counter_files(Files& files, const std::string& directory);

}  // namespace roceready

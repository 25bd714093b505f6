// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roceready::evidence {

/// What stands behind "/proc/NAME:" in a line of a copied tree; the whole line elsewhere.
[[nodiscard]] inline std::string_view behind_proc_path(std::string_view line) {
  if (!line.starts_with("/proc/")) return line;
  const auto colon = line.find(':');
  return colon == std::string_view::npos ? line : line.substr(colon + 1);
}

}  // namespace roceready::evidence

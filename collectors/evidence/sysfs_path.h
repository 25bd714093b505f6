// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/section.h"

namespace roceready::evidence {

/// A line "PATH:VALUE" as `grep . PATH…` prints it, "PATH: VALUE" or "PATH = VALUE" as loops do, or what a tool said of
/// a path that it could not read ("cat: PATH: Permission denied"). Views into the line.
struct PathLine {
  std::vector<std::string_view> parts;  ///< of the path, at most 40
  std::string_view path, value;
  bool refused = false;  ///< `value` is the tool's error message
  /// The part behind the first one of this name; "" where there is none.
  [[nodiscard]] std::string_view after(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::string_view last() const { return parts.empty() ? std::string_view() : parts.back(); }
};
/// Of paths below /sys, /proc/sys and of relative ones within an RDMA port's directory. PCI addresses in a path hold
/// colons.
[[nodiscard]] std::optional<PathLine> path_line(std::string_view line);
/// A path alone: of a heading ("==> /sys/… <==", as head and tail print it) or a command's argument, which may be a
/// pattern.
[[nodiscard]] std::optional<PathLine> path_alone(std::string_view text);
[[nodiscard]] bool is_pattern(const PathLine& path);
/// Whom a path is about.
[[nodiscard]] About about_of_path(const PathLine& path);

}  // namespace roceready::evidence

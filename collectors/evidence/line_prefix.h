// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roceready::evidence {

/// What a tool put in front of every line of a text, and no host's name.
enum class LinePrefix {
  None,
  Number,  ///< `cat -n`: "     1\t"
  Stamp,   ///< `kubectl logs --timestamps`, ts: "2026-11-30T10:00:00.1Z ", "Nov 30 10:00:00 "
};

/// By the beginning of a text, which may end within a line. The stamps of a log are its own: behind a prefix of time
/// commands and outputs of tools must stand.
[[nodiscard]] LinePrefix line_prefix_of(std::string_view text);

/// A line that was cleaned without its prefix; one that has none stays as it is.
[[nodiscard]] std::string_view without_prefix(std::string_view line, LinePrefix prefix);

}  // namespace roceready::evidence

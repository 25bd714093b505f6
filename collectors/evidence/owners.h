// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectors/evidence/section.h"
#include "collectors/evidence/split.h"

namespace roceready::evidence {

/// A section as it grows, and what is known of whose it is.
struct Piece {
  Section section;
  bool named = false;        ///< by its own lines
  bool after_time = false;   ///< a line with the time came since the output before
  bool after_stray = false;  ///< a line that nobody knows did
};

/// Whether one command makes one such output: a second heading is of another port.
[[nodiscard]] bool comes_once(const Format& format);
/// Commands that print one line: uname, cat of one file.
[[nodiscard]] bool prints_one_line(const Command& command);
/// Whether what commands print that no format knows may be anything: a file, a script's output, another host's.
[[nodiscard]] bool shows_anything(const std::vector<Command>& commands);
/// Whether two commands ran on one host, in the same pod, container or namespace.
[[nodiscard]] bool is_one_place(const Command& a, const Command& b);
/// Whether a command is a shell that waits for others.
[[nodiscard]] bool is_shell(const Command& command);
/// Takes what `other` says of what `about` does not.
void fill(About& about, const About& other);

/// Gives the outputs of a format to the commands of a line that made them, in their order. Where it is not certain
/// which command made which, none is believed: `leave_out` takes it with the reason. `strayed`: something stood between
/// that nobody knows.
void give_owners(std::vector<Piece>& pieces, const Format* format, const CommandLine& line, bool strayed,
                 const std::function<void(Piece&, const std::string&)>& leave_out);

}  // namespace roceready::evidence

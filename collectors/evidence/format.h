// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/section.h"

namespace roceready::evidence {

class Draft;

/// How a line stands to a format.
enum class Fit {
  No,
  Possible,  ///< may stand in an output of this format that has begun, e.g. an indented "key: value"
  Certain,   ///< is of this format even alone: cut or filtered output
  Begins,    ///< heads an output of this format
};

/// One layout that a tool prints. Its parser is pure: lines in, facts of a draft out; what it does not understand it
/// hands to Draft::unread. Whatever the lines hold, it neither throws nor invents: a fact that no line states stays
/// absent, and a value that makes no sense is Malformed with the line in its detail.
struct Format {
  const char* name;  ///< as people call it: "ethtool -S"
  const char*
      settles;  ///< what a person types to get it, with NETDEV, DEVICE, PCI, to be filled in: "ethtool -S NETDEV"
  bool counts = false;  ///< holds counters, so that two outputs at two times give rates
  /// Whether a command makes this output; `words` has the program's base name first. Fills `about` from the words.
  bool (*made_by)(std::span<const std::string> words, About& about) = nullptr;
  /// Of a line by itself. `about` is filled by a heading that names somebody.
  Fit (*fit)(std::string_view line, About& about) = nullptr;
  void (*parse)(const Section& section, Draft& draft) = nullptr;
};

/// All formats, in the order of catalog.def: where two are certain of a line, the earlier one has it.
[[nodiscard]] std::span<const Format* const> formats();

}  // namespace roceready::evidence

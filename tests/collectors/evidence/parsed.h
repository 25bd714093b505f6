// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/split.h"

namespace roceready::evidence {

/// What the formats make of a text, from recognition to facts.
struct Parsed {
  Draft draft;
  std::vector<std::string> formats;  ///< of the sections, in order
  std::vector<std::string> unread;   ///< lines that no format or no parser understood
  [[nodiscard]] const Netdev* netdev(const std::string& name) const { return draft.snapshot().netdev(name); }
};
[[nodiscard]] Parsed parsed(std::string_view text);

/// Cuts a text at every line at both ends, and drops every line in turn: what is left never states what the whole does
/// not.
void expect_no_invention(const std::string& text);

}  // namespace roceready::evidence

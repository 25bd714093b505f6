// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace roceready::daemon {

/// What a rule reads, when it fires, why it matters, what to do: for `explain` on a terminal.
[[nodiscard]] std::string rule_text(const rules::Rule& rule, bool colour);
/// The same as a page of docs/rules/, one per rule; a test compares.
[[nodiscard]] std::string rule_markdown(const rules::Rule& rule);
/// `docs/rules/README.md`: the list, by family.
[[nodiscard]] std::string rules_index_markdown(const std::vector<const rules::Rule*>& list);
/// One line a rule, for `rules`.
[[nodiscard]] std::string rules_text(const std::vector<const rules::Rule*>& list, bool colour);
/// An array of {id, title, family, severities, judged, modes, status}.
[[nodiscard]] std::string rules_json(const std::vector<const rules::Rule*>& list);
/// One rule with its texts and limits.
[[nodiscard]] std::string rule_json(const rules::Rule& rule);

}  // namespace roceready::daemon

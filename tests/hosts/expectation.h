// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "tests/hosts/pipeline.h"

namespace roceready::hosts {

/// expect.json of a host. All members may be left out:
///   verdict       any of these
///   first_cause   rule of the first cause, any of these; []: no cause at all
///   must_have     findings {rule, severity, subjects: keys behind the @; without subjects: on any}
///   must_not      rules that must not be found as warning or critical
///   words         rule → words that the sentence of one of its findings holds, each
///   not_words     words that no title or sentence of a finding may hold
///   others        "none": no warning or critical beside must_have
///   unknown       rules, or rule@subject, that must be listed as unknown
///   not_unknown   rules, or rule@subject, that must not be
///   not_looked_at rules that must be listed as not looked at
///   no_rate       rates that no port may show
///   symptoms      cause → rules that must be folded under it
///   score         of the node
///   out_of_scope  number of ports that are listed as out of scope
/// Returns what is wrong, a sentence each.
[[nodiscard]] std::vector<std::string> disagreements(const nlohmann::json& expect, const Judged& judged);
[[nodiscard]] Result<nlohmann::json> read_expectation(const std::filesystem::path& directory);

}  // namespace roceready::hosts

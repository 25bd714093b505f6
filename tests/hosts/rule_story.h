// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/snapshot/snapshot.h"
#include "rules/engine.h"
#include "rules/rule.h"

/// Stories of rules: changes of the healthy node in tests/hosts/rules/base.json (tests/hosts/rules/README.md). What
/// makes no sense in them is a failure of the test that asks.
namespace roceready::hosts {

[[nodiscard]] std::filesystem::path stories_directory();
/// Of a rule: {"fires": …, "quiet": …, "unknown": …}; no object where there is no such file.
[[nodiscard]] nlohmann::json read_stories(const std::string& rule);
/// The samples of one story.
[[nodiscard]] std::vector<Snapshot> samples_of_story(const nlohmann::json& story);
/// What the site of a story says: the name of its profile, and what it adds to that.
[[nodiscard]] rules::JudgeOptions options_of_story(const nlohmann::json& story);
/// Rules that are judged, in the catalogue's order.
[[nodiscard]] std::vector<const rules::Rule*> judged_rules();

}  // namespace roceready::hosts

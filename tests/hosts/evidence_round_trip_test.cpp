// SPDX-License-Identifier: Apache-2.0
// Every host as the outputs of the tools that people send, judged by these files: the same is found as on the node, but
// for what the tools cannot show (tests/evidence/round_trip/limits_of_tools.cpp).
#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/evidence/round_trip/compare.h"
#include "tests/hosts/pipeline.h"
#include "tests/hosts/rule_story.h"

namespace roceready::hosts {
namespace {

namespace fs = std::filesystem;
using round_trip::Difference;
using round_trip::Limit;

const Limit* limit_for(const Difference& difference) {
  const auto& limits = round_trip::limits_of_tools();
  const auto at = std::find_if(limits.begin(), limits.end(), [&](const Limit& limit) {
    const std::string rule = limit.rule;
    const bool same = rule.ends_with("-") ? difference.rule.starts_with(rule) : difference.rule == rule;
    return same && difference.how == limit.how;
  });
  return at == limits.end() ? nullptr : &*at;
}

bool is_contradiction(const std::string& rule, const std::string& part) {
  const auto& stories = round_trip::contradictions();
  return std::any_of(stories.begin(), stories.end(),
                     [&](const round_trip::Contradiction& story) { return rule == story.rule && part == story.part; });
}

class EachHostByFiles : public testing::TestWithParam<fs::path> {};

std::string name_of_host(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

TEST_P(EachHostByFiles, is_judged_as_on_the_node) {
  const auto held = replay(GetParam());
  ASSERT_TRUE(held) << held.error().text();
  for (const Difference& difference : round_trip::differences(held->snapshots, held->options)) {
    if (limit_for(difference) == nullptr) ADD_FAILURE() << name_of(difference.how) << " " << difference.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Hosts, EachHostByFiles, testing::ValuesIn(host_directories()), name_of_host);

class EachStoryByFiles : public testing::TestWithParam<const rules::Rule*> {};

constexpr const char* kParts[] = {"fires", "quiet", "unknown"};

TEST_P(EachStoryByFiles, is_judged_as_on_the_node) {
  const nlohmann::json stories = read_stories(GetParam()->id);
  ASSERT_TRUE(stories.is_object());
  for (const char* part : kParts) {
    SCOPED_TRACE(part);
    bool differs = false;
    for (const Difference& difference :
         round_trip::differences(samples_of_story(stories.at(part)), options_of_story(stories.at(part)))) {
      if (limit_for(difference) != nullptr) continue;
      differs = true;
      if (!is_contradiction(GetParam()->id, part)) ADD_FAILURE() << name_of(difference.how) << " " << difference.text;
    }
    EXPECT_TRUE(differs || !is_contradiction(GetParam()->id, part)) << "a story is listed as no host's, and is one";
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, EachStoryByFiles, testing::ValuesIn(judged_rules()),
                         [](const testing::TestParamInfo<const rules::Rule*>& rule) {
                           std::string name = rule.param->id;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(LimitsOfTools, are_all_met_by_some_host_and_say_why) {
  std::set<const Limit*> met;
  const auto note = [&](const std::vector<Snapshot>& snapshots, const rules::JudgeOptions& options) {
    for (const Difference& difference : round_trip::differences(snapshots, options))
      if (const Limit* limit = limit_for(difference)) met.insert(limit);
  };
  for (const fs::path& directory : host_directories()) {
    const auto held = replay(directory);
    ASSERT_TRUE(held) << held.error().text();
    note(held->snapshots, held->options);
  }
  for (const rules::Rule* rule : judged_rules()) {
    const nlohmann::json stories = read_stories(rule->id);
    for (const char* part : kParts) note(samples_of_story(stories.at(part)), options_of_story(stories.at(part)));
  }
  for (const Limit& limit : round_trip::limits_of_tools()) {
    EXPECT_TRUE(met.contains(&limit)) << limit.rule << " " << name_of(limit.how);
    EXPECT_GE(std::string(limit.reason).size(), 20U) << limit.rule;
  }
}

}  // namespace
}  // namespace roceready::hosts

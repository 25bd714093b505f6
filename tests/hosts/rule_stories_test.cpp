// SPDX-License-Identifier: Apache-2.0
// One file a rule under tests/hosts/rules: where it fires, where it is quiet, where it cannot know. See
// tests/hosts/rules/README.md.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rules/engine.h"
#include "tests/hosts/pipeline.h"
#include "tests/hosts/rule_story.h"

namespace roceready::hosts {
namespace {

using nlohmann::json;
using rules::Outcome;
namespace fs = std::filesystem;

/// What the rule said, worst first: a story holds one port, so any of its subjects may speak.
Outcome outcome_of(const Judged& judged, const std::string& rule) {
  constexpr Outcome kOrder[] = {Outcome::Fail, Outcome::Unknown, Outcome::NotLookedAt, Outcome::Pass,
                                Outcome::NotApplicable};
  for (const Outcome wanted : kOrder) {
    for (const auto& [key, outcome] : judged.outcomes)
      if (key.rfind(rule + "@", 0) == 0 && outcome == wanted) return outcome;
  }
  ADD_FAILURE() << rule << " said nothing";
  return Outcome::NotApplicable;
}

Judged judge_story(const std::vector<Snapshot>& samples, const json& story) {
  const rules::JudgeOptions options = options_of_story(story);
  return story.value("daemon", false) ? judge_as_daemon(samples, options) : judge(samples, options);
}

class RuleStory : public testing::TestWithParam<const rules::Rule*> {};

TEST_P(RuleStory, fires_is_quiet_and_says_when_it_cannot_know) {
  const std::string id = GetParam()->id;
  const json stories = read_stories(id);
  ASSERT_TRUE(stories.is_object()) << id << ": no file tests/hosts/rules/" << id << ".json, or it is no JSON";
  for (const char* part : {"fires", "quiet", "unknown"}) {
    SCOPED_TRACE(id + " " + part);
    ASSERT_TRUE(stories.contains(part));
    const json& story = stories[part];
    EXPECT_GE(story.value("story", "").size(), 20U) << "a story says what happened";
    const Judged judged = judge_story(samples_of_story(story), story);
    const std::string wanted = story.value("outcome", std::string(part) == "fires"   ? "fail"
                                                      : std::string(part) == "quiet" ? "pass"
                                                                                     : "unknown");
    EXPECT_EQ(name_of(outcome_of(judged, id)), wanted) << story.value("story", "");
    if (std::string(part) != "fires") continue;
    std::string severity = "none";
    for (const rules::Finding& finding : judged.report->findings)
      if (finding.rule->id == id) severity = rules::name_of(finding.severity);
    EXPECT_EQ(severity, story.value("severity", "")) << story.value("story", "");
  }
}

// --- One counter that the rule needs is refused, in turn. What failed may become unknown; it never becomes a pass.

struct Refusal {
  std::string what;
  CounterId id;
  std::optional<std::uint8_t> lane;  ///< nothing: every lane
  std::string function;              ///< of AER: its address; "": every one
};

Absent refused() {
  return {Why::Denied, "EPERM"};
}

bool is_refused(const Refusal& refusal, const CounterValue& value) {
  return value.id == refusal.id && (!refusal.lane || value.lane == *refusal.lane);
}

bool refuse(CounterReadings& readings, const Refusal& refusal) {
  bool any = false;
  for (const CounterValue& value : readings.values) {
    if (!is_refused(refusal, value)) continue;
    readings.unreadable.push_back({value.id, value.lane, refused()});
    any = true;
  }
  std::erase_if(readings.values, [&](const CounterValue& value) { return is_refused(refusal, value); });
  return any;
}

bool is_aer(CounterId id) {
  return id == CounterId::PcieAerCorrectable || id == CounterId::PcieAerNonfatal || id == CounterId::PcieAerFatal;
}

/// Whether the host had what is refused.
bool refuse(Snapshot& snapshot, const Refusal& refusal) {
  bool any = false;
  for (Netdev& netdev : snapshot.netdevs) any = refuse(netdev.counters, refusal) || any;
  for (RdmaPort& port : snapshot.ports) any = refuse(port.counters, refusal) || any;
  for (PciFunction& function : snapshot.pci) {
    if (!is_aer(refusal.id) || !function.aer) continue;
    if (!refusal.function.empty() && refusal.function != function.address) continue;
    function.aer = refused();
    any = true;
  }
  return any;
}

/// Of a rule: each counter whole, each of its lanes, each end of a PCIe link.
std::vector<Refusal> refusals_of(const rules::Rule& rule, const Snapshot& snapshot) {
  std::vector<Refusal> out;
  for (const CounterId id : rule.needs) {
    const std::string name = info_of(id).name;
    out.push_back({name, id, {}, ""});
    for (const Netdev& netdev : snapshot.netdevs)
      for (const CounterValue& value : netdev.counters.values)
        if (value.id == id && value.lane != kNoLane)
          out.push_back({name + ":" + std::to_string(value.lane), id, value.lane, ""});
    for (const PciFunction& function : snapshot.pci)
      if (is_aer(id)) out.push_back({name + " of " + function.address, id, {}, function.address});
  }
  return out;
}

bool is_of(const std::string& key, const rules::Rule& rule) {
  return key.rfind(std::string(rule.id) + "@", 0) == 0;
}

TEST_P(RuleStory, that_fires_never_passes_when_one_of_its_counters_is_refused) {
  const rules::Rule& rule = *GetParam();
  const json stories = read_stories(rule.id);
  ASSERT_TRUE(stories.is_object() && stories.contains("fires"));
  const json& story = stories["fires"];
  ASSERT_EQ(story.value("outcome", "fail"), "fail");
  const std::vector<Snapshot> samples = samples_of_story(story);
  const Judged before = judge_story(samples, story);
  for (const Refusal& refusal : refusals_of(rule, samples.back())) {
    SCOPED_TRACE(std::string(rule.id) + " without " + refusal.what);
    std::vector<Snapshot> now = samples;
    bool any = false;
    for (Snapshot& snapshot : now) any = refuse(snapshot, refusal) || any;
    if (!any) continue;
    const Judged after = judge_story(now, story);
    EXPECT_NE(outcome_of(after, rule.id), Outcome::Pass);
    for (const auto& [key, outcome] : before.outcomes) {
      const auto at = after.outcomes.find(key);
      if (!is_of(key, rule) || outcome != Outcome::Fail || at == after.outcomes.end()) continue;
      EXPECT_NE(at->second, Outcome::Pass) << key;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleStory, testing::ValuesIn(judged_rules()),
                         [](const testing::TestParamInfo<const rules::Rule*>& rule) {
                           std::string name = rule.param->id;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RuleStories, belong_to_rules) {
  for (const auto& entry : fs::directory_iterator(stories_directory())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && name != "base") {
      EXPECT_NE(rules::rule_named(name), nullptr) << entry.path().filename();
    }
  }
}

}  // namespace
}  // namespace roceready::hosts

// SPDX-License-Identifier: Apache-2.0
// One file a rule under tests/hosts/rules: where it fires, where it is quiet, where it cannot know. See
// tests/hosts/rules/README.md.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/snapshot/json_patch.h"
#include "core/snapshot/snapshot_json.h"
#include "rules/engine.h"
#include "tests/hosts/pipeline.h"

namespace roceready::hosts {
namespace {

using nlohmann::json;
using rules::Outcome;
namespace fs = std::filesystem;

fs::path folder() {
  return fs::path(ROCEREADY_SOURCE_DIR) / "tests/hosts/rules";
}

json read_json(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return json::parse(text.str(), nullptr, false);
}

/// "rx_bytes_priority:3" → counter and lane.
std::pair<CounterId, std::uint8_t> signal_of(const std::string& name) {
  const std::size_t colon = name.find(':');
  const auto id = counter_from_name(name.substr(0, colon));
  if (!id) ADD_FAILURE() << "no counter " << name;
  const std::uint8_t lane =
      colon == std::string::npos ? kNoLane : static_cast<std::uint8_t>(std::stoi(name.substr(colon + 1)));
  return {id.value_or(CounterId::kCount), lane};
}

/// A counter that the base has not: shown, and offered by the driver.
void show(CounterReadings& readings, const std::string& name) {
  const auto [id, lane] = signal_of(name);
  if (readings.find(id, lane) == nullptr) readings.values.push_back({id, lane, 64, 1000, 1.0});
  if (!readings.can_show(id)) readings.offered.push_back(id);
  std::sort(readings.values.begin(), readings.values.end(), [](const CounterValue& a, const CounterValue& b) {
    return std::pair(a.id, a.lane) < std::pair(b.id, b.lane);
  });
  std::sort(readings.offered.begin(), readings.offered.end());
}

void grow(CounterReadings& readings, const std::string& name, double amount) {
  const auto [id, lane] = signal_of(name);
  for (CounterValue& value : readings.values) {
    if (value.id != id || value.lane != lane) continue;
    value.raw += static_cast<std::uint64_t>(std::llround(amount / value.scale));
    return;
  }
  ADD_FAILURE() << "the host does not show " << name;
}

/// The samples of one story. `seconds` passes between two.
std::vector<Snapshot> samples_of(const json& story) {
  json state = read_json(folder() / "base.json");
  const auto count = story.value("samples", 3U);
  const double seconds = story.value("every_seconds", 1.0);
  std::vector<Snapshot> out;
  for (unsigned k = 0; k < count; ++k) {
    const json none = json::object();
    const json& patch =
        k == 0 ? story.value("patch", none) : story.value("from_sample", none).value(std::to_string(k), none);
    const auto patched = patch_snapshot(state, patch);
    EXPECT_TRUE(patched) << patched.error().text();
    auto snapshot = snapshot_from_json(state);
    if (!snapshot) {
      ADD_FAILURE() << snapshot.error().text();
      return out;
    }
    const auto later = static_cast<std::int64_t>(std::llround(seconds * 1e9 * k));
    for (Instant* at : {&snapshot->before, &snapshot->after}) {
      at->monotonic_ns += later;
      at->wall_ns += later;
    }
    const json shows = story.value("shows", none), growth = story.value("growth", none);
    for (auto& [side, readings] :
         {std::pair<std::string, CounterReadings*>{"netdev", &snapshot->netdevs.at(0).counters},
          {"port", &snapshot->ports.at(0).counters}}) {
      readings->at_monotonic_ns = snapshot->after.monotonic_ns;
      for (const json& name : shows.value(side, json::array())) show(*readings, name.get<std::string>());
      const json grown = growth.value(side, none);
      for (const auto& [name, rate] : grown.items()) grow(*readings, name, rate.get<double>() * seconds * k);
    }
    out.push_back(std::move(*snapshot));
  }
  return out;
}

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

/// What the site of a story says: the name of its profile, and what it adds to that.
rules::JudgeOptions options_of(const json& story) {
  rules::JudgeOptions out;
  out.profile = story.value("profile", "nvidia-lossless");
  out.profile_changes.role = story.value("role", "");
  out.profile_changes.modifiers = story.value("modifiers", std::vector<std::string>());
  out.demands.firmware_min = story.value("firmware_min", std::vector<std::string>());
  return out;
}

class RuleStory : public testing::TestWithParam<const rules::Rule*> {};

TEST_P(RuleStory, fires_is_quiet_and_says_when_it_cannot_know) {
  const std::string id = GetParam()->id;
  const json stories = read_json(folder() / (id + ".json"));
  ASSERT_TRUE(stories.is_object()) << id << ": no file tests/hosts/rules/" << id << ".json, or it is no JSON";
  for (const char* part : {"fires", "quiet", "unknown"}) {
    SCOPED_TRACE(id + " " + part);
    ASSERT_TRUE(stories.contains(part));
    const json& story = stories[part];
    EXPECT_GE(story.value("story", "").size(), 20U) << "a story says what happened";
    const Judged judged = judge(samples_of(story), options_of(story));
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
  const json stories = read_json(folder() / (std::string(rule.id) + ".json"));
  ASSERT_TRUE(stories.is_object() && stories.contains("fires"));
  const json& story = stories["fires"];
  if (story.value("outcome", "fail") != "fail") GTEST_SKIP() << "the story cannot fire in a one-shot";
  const std::vector<Snapshot> samples = samples_of(story);
  const Judged before = judge(samples, options_of(story));
  for (const Refusal& refusal : refusals_of(rule, samples.back())) {
    SCOPED_TRACE(std::string(rule.id) + " without " + refusal.what);
    std::vector<Snapshot> now = samples;
    bool any = false;
    for (Snapshot& snapshot : now) any = refuse(snapshot, refusal) || any;
    if (!any) continue;
    const Judged after = judge(now, options_of(story));
    EXPECT_NE(outcome_of(after, rule.id), Outcome::Pass);
    for (const auto& [key, outcome] : before.outcomes) {
      const auto at = after.outcomes.find(key);
      if (!is_of(key, rule) || outcome != Outcome::Fail || at == after.outcomes.end()) continue;
      EXPECT_NE(at->second, Outcome::Pass) << key;
    }
  }
}

std::vector<const rules::Rule*> judged_rules() {
  std::vector<const rules::Rule*> out;
  for (const rules::Rule* rule : rules::catalogue())
    if (rule->status == rules::Status::Active) out.push_back(rule);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleStory, testing::ValuesIn(judged_rules()),
                         [](const testing::TestParamInfo<const rules::Rule*>& rule) {
                           std::string name = rule.param->id;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(RuleStories, belong_to_rules) {
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && name != "base") {
      EXPECT_NE(rules::rule_named(name), nullptr) << entry.path().filename();
    }
  }
}

}  // namespace
}  // namespace roceready::hosts

// SPDX-License-Identifier: Apache-2.0
#include "tests/hosts/rule_story.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/snapshot/json_patch.h"
#include "core/snapshot/snapshot_json.h"
#include "tests/source_dir.h"

namespace roceready::hosts {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

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

}  // namespace

fs::path stories_directory() {
  return fs::path(ROCEREADY_SOURCE_DIR) / "tests/hosts/rules";
}

json read_stories(const std::string& rule) {
  return read_json(stories_directory() / (rule + ".json"));
}

std::vector<Snapshot> samples_of_story(const json& story) {
  json state = read_json(stories_directory() / "base.json");
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

rules::JudgeOptions options_of_story(const json& story) {
  rules::JudgeOptions out;
  out.profile = story.value("profile", "nvidia-lossless");
  out.profile_changes.role = story.value("role", "");
  out.profile_changes.modifiers = story.value("modifiers", std::vector<std::string>());
  out.demands.firmware_min = story.value("firmware_min", std::vector<std::string>());
  return out;
}

std::vector<const rules::Rule*> judged_rules() {
  std::vector<const rules::Rule*> out;
  for (const rules::Rule* rule : rules::catalogue())
    if (rule->status == rules::Status::Active) out.push_back(rule);
  return out;
}

}  // namespace roceready::hosts

// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <utility>

#include "rules/engine.h"
#include "rules/ledger.h"
#include "rules/remembered.h"

namespace roceready::rules {

using nlohmann::json;

std::string Ledger::save() const {
  json entries = json::array();
  for (const auto& [key, entry] : entries_) {
    json one = {{"key", key},
                {"first", remembered(entry.first)},
                {"last_active", remembered(entry.last_active)},
                {"failing", entry.failing}};
    if (entry.grave) one["last"] = remembered(entry.last);
    entries.push_back(std::move(one));
  }
  json earlier = json::object();
  for (const auto& [key, each] : earlier_)
    earlier[key] = {{"since", remembered(each.since)}, {"until", remembered(each.until)}};
  return as_text({{"entries", std::move(entries)}, {"earlier", std::move(earlier)}});
}

bool Ledger::recall(const std::string& text) {
  constexpr std::size_t kMost = 16384;
  const json from = parsed(text);
  Recalled read(from);
  const json* entries = read.member("entries");
  const json* earlier = read.member("earlier");
  if (entries == nullptr || earlier == nullptr || !entries->is_array() || !earlier->is_object() ||
      entries->size() > kMost || earlier->size() > kMost)
    return false;
  std::map<std::string, Entry> all;
  for (const json& each : *entries) {
    Recalled one(each);
    Entry entry;
    const std::string key = one.text("key");
    entry.first = one.instant("first");
    entry.last_active = one.instant("last_active");
    entry.failing = one.flag("failing");
    if (!one.good()) return false;
    if (rule_named(key.substr(0, key.find('@'))) == nullptr) continue;
    if (one.has("last")) {
      auto last = finding_from(*one.member("last"));
      if (!last || last->key != key) return false;
      entry.grave = true;
      entry.last = std::move(*last);
    }
    all.insert_or_assign(key, std::move(entry));
  }
  std::map<std::string, Earlier> dates;
  for (const auto& [key, value] : earlier->items()) {
    Recalled one(value);
    dates[key] = {one.instant("since"), one.instant("until")};
    if (!one.good()) return false;
  }
  entries_ = std::move(all);
  earlier_ = std::move(dates);
  return true;
}

}  // namespace roceready::rules

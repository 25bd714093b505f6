// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/snapshot/json_write.h"

namespace roceready::evidence {
namespace {

/// First fact that `part` states and `whole` does not, or states otherwise; "" where there is none. Zeroes of plain
/// fields that stand for "not told" are no statement.
std::string stated_otherwise(const nlohmann::json& part, const nlohmann::json& whole, const std::string& path) {
  const auto silent = [](const nlohmann::json& value) {
    return value.is_null() || (value.is_object() && value.contains("absent")) || (value.is_array() && value.empty()) ||
           value == "" || value == 0 || value == "0" || value == false;
  };
  if (part == whole || silent(part)) return {};
  if (silent(whole) || part.type() != whole.type()) return path + ": " + part.dump() + " of " + whole.dump();
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      if (key == "requests" || key == "indications") continue;  // counts that no rule reads
      const std::string found = stated_otherwise(value, whole.value(key, nlohmann::json()), path + "/" + key);
      if (!found.empty()) return found;
    }
    return {};
  }
  const bool objects = part.is_array() && part[0].is_object();
  const bool named = objects && part[0].contains("link");
  if (objects && !named) {  // fewer addresses or entries than the whole has
    for (const nlohmann::json& one : part)
      if (std::find(whole.begin(), whole.end(), one) == whole.end()) return path + ": " + one.dump();
    return {};
  }
  if (!named) return path + ": " + part.dump() + " of " + whole.dump();
  for (const nlohmann::json& one : part) {
    auto same = std::find_if(whole.begin(), whole.end(),
                             [&](const nlohmann::json& other) { return other["link"]["name"] == one["link"]["name"]; });
    // A netdev whose heading is cut off has no name.
    if (same == whole.end() && whole.size() == 1) same = whole.begin();
    nlohmann::json renamed = one;
    if (same != whole.end()) renamed["link"]["name"] = (*same)["link"]["name"];
    const std::string found =
        same == whole.end() ? "netdev " + one["link"]["name"].dump() : stated_otherwise(renamed, *same, path);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

Parsed parsed(std::string_view text) {
  Parsed out;
  FileFacts file;
  file.name = "a.txt";
  const Split parts = split(text, file);
  for (const Section& section : parts.sections) {
    out.formats.emplace_back(section.format->name);
    section.format->parse(section, out.draft);
  }
  for (const UnreadLine& line : parts.unread) out.unread.push_back(line.text);
  for (const UnreadLine& line : out.draft.unread_lines()) out.unread.push_back(line.text);
  return out;
}

void expect_no_invention(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from) + "\n");
    from = end + 1;
  }
  const nlohmann::json whole = write_json(parsed(text).draft.snapshot());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string head, tail, without;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (k <= i) head += lines[k];
      if (k >= i) tail += lines[k];
      if (k != i) without += lines[k];
    }
    for (const std::string& part : {head, tail, without}) {
      const nlohmann::json facts = write_json(parsed(part).draft.snapshot());
      EXPECT_EQ(stated_otherwise(facts["netdevs"], whole["netdevs"], ""), "") << part;
    }
  }
}

}  // namespace roceready::evidence

// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/evidence/parsed.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/snapshot/json_write.h"

namespace roceready::evidence {
namespace {

using nlohmann::json;

/// Not told: absent, or as in `blank`, the same place of a snapshot of which nothing was told. A zero where nothing
/// would be absent is a statement.
bool is_silent(const json& value, const json& blank) {
  return value.is_null() || value == blank || (value.is_object() && value.contains("absent")) ||
         (value.is_array() && value.empty());
}

/// Who an element of a list is; null where elements have no name.
json name_of_element(const json& element) {
  if (!element.is_object()) return {};
  if (element.contains("link")) return element["link"]["name"];
  if (element.contains("device") && element.contains("port")) return json{element["device"], element["port"]};
  if (element.contains("address") && element.contains("current_speed")) return element["address"];
  if (element.contains("kind") && element.contains("says")) return json{element["kind"], element["text"]};
  return {};
}

/// One of a list with nothing told but its name.
json blank_of(const json& element) {
  static const json kNetdev = [] {
    Draft draft;
    draft.netdev("x");
    return write_json(draft.snapshot())["netdevs"][0];
  }();
  static const json kPort = [] {
    Draft draft;
    draft.port("x", 1);
    return write_json(draft.snapshot())["ports"][0];
  }();
  static const json kFunction = [] {
    Draft draft;
    draft.function("x");
    return write_json(draft.snapshot())["pci"][0];
  }();
  if (element.contains("link")) return kNetdev;
  if (element.contains("device")) return kPort;
  return element.contains("current_speed") ? kFunction : json();
}

std::string stated_otherwise(const json& part, const json& whole, const json& blank, const std::string& path);

/// Elements with names are compared by them; of others, the whole has at least those of the part.
std::string element_otherwise(const json& one, const json& whole, const std::string& path) {
  const json name = name_of_element(one);
  if (name.is_null()) return std::find(whole.begin(), whole.end(), one) != whole.end() ? "" : path + ": " + one.dump();
  auto same =
      std::find_if(whole.begin(), whole.end(), [&](const json& other) { return name_of_element(other) == name; });
  const bool log = one.contains("says");
  // An owner whose heading is cut off has no name.
  if (same == whole.end() && whole.size() == 1 && !log) same = whole.begin();
  if (same == whole.end()) return path + " of " + name.dump() + " is new";
  if (log) return {};  // what lines say of each other depends on which there are
  json renamed = one;
  if (one.contains("link")) renamed["link"]["name"] = (*same)["link"]["name"];
  for (const char* key : {"device", "port", "driver", "function", "address"})
    if (one.contains(key) && !one.contains("link") && name != name_of_element(*same)) renamed[key] = (*same)[key];
  return stated_otherwise(renamed, *same, blank_of(one), path);
}

/// First fact that `part` states and `whole` does not, or states otherwise; "" where there is none.
std::string stated_otherwise(const json& part, const json& whole, const json& blank, const std::string& path) {
  if (part == whole || is_silent(part, blank)) return {};
  if (part.is_string() && part.get<std::string>().empty()) return {};  // a plain word that nobody told
  if (is_silent(whole, blank) || part.type() != whole.type()) return path + ": " + part.dump() + " of " + whole.dump();
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      if (key == "requests" || key == "indications") continue;  // counts that no rule reads
      const json below = blank.is_object() ? blank.value(key, json()) : json();
      const std::string found = stated_otherwise(value, whole.value(key, json()), below, path + "/" + key);
      if (!found.empty()) return found;
    }
    return {};
  }
  if (!part.is_array() || !part[0].is_object()) return path + ": " + part.dump() + " of " + whole.dump();
  for (const json& one : part) {
    if (const std::string found = element_otherwise(one, whole, path); !found.empty()) return found;
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
  const json whole = write_json(parsed(text).draft.snapshot()), blank = write_json(Snapshot{});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string head, tail, without;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (k <= i) head += lines[k];
      if (k >= i) tail += lines[k];
      if (k != i) without += lines[k];
    }
    for (const std::string& part : {head, tail, without})
      EXPECT_EQ(stated_otherwise(write_json(parsed(part).draft.snapshot()), whole, blank, ""), "") << part;
  }
}

}  // namespace roceready::evidence

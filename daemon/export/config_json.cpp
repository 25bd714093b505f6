// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/config_json.h"

#include <set>

#include "config/value.h"
#include "config/yaml.h"
#include "core/base/text.h"
#include "daemon/setup.h"

namespace roceready::daemon {
namespace {

/// Options whose value is itself a secret. A path to one is not.
bool is_secret(const std::string& key) {
  for (const char* word : {"password", "secret", "token"})
    if (key.ends_with(word)) return true;
  return false;
}

bool is_list(const std::string& key) {
  static const std::set<std::string> lists = [] {
    std::set<std::string> out;
    for (const config::Option& option : all_options())
      if (option.type == config::OptionType::TextList) out.insert(option.key);
    return out;
  }();
  return lists.contains(key);
}

bool is_records(const std::string& key) {
  return key == "waivers" || key == "attest";
}

Json records_json(const std::string& value) {
  Json out = Json::array();
  const auto tree = config::parse_yaml(value);
  if (!tree) return json_text(value);
  for (const config::YamlNode& entry : tree->children) {
    Json one = Json::object();
    for (std::size_t i = 0; i + 1 < entry.children.size(); i += 2)
      one[clean_text(entry.children[i].text)] = json_text(entry.children[i + 1].text);
    out.push_back(std::move(one));
  }
  return out;
}

Json value_json(const std::string& key, const std::string& value) {
  if (is_secret(key) && !value.empty()) return "hidden";
  if (is_records(key)) return records_json(value);
  if (key.starts_with("profile_overrides.") && value.empty()) return nullptr;
  if (!is_list(key)) return json_text(value);
  Json out = Json::array();
  for (const std::string& item : config::list_items(value)) out.push_back(json_text(item));
  return out;
}

}  // namespace

Json config_json(const std::map<std::string, std::string>& values, const std::map<std::string, std::string>& origin) {
  Json out = Json::object();
  for (const auto& [key, value] : values) {
    const auto from = origin.find(key);
    out[key] = Json{{"value", value_json(key, value)},
                    {"origin", from == origin.end() ? Json("default") : json_text(from->second)}};
  }
  return out;
}

}  // namespace roceready::daemon

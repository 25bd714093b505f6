// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/json_patch.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace roceready {
namespace {

using nlohmann::json;

/// Text of a member, "" where there is none.
std::string text_at(const json& object, const char* member) {
  if (!object.is_object()) return {};
  const auto at = object.find(member);
  if (at == object.end()) return {};
  if (at->is_number_unsigned()) return std::to_string(at->get<std::uint64_t>());
  return at->is_string() ? at->get<std::string>() : std::string();
}

bool is_called(const json& element, const std::string& array, const std::string& name) {
  if (array == "netdevs")
    return element.is_object() && element.contains("link") && text_at(element["link"], "name") == name;
  if (array == "pci") return text_at(element, "address") == name;
  const std::string device = text_at(element, "device");
  const std::string port = text_at(element, "port");
  return device == name || device + "/" + (port.empty() ? "1" : port) == name;
}

bool is_absent(const json& value) {
  return value.is_object() && value.contains("absent");
}

Error fault(const std::string& where, const char* what) {
  return {ErrorCode::Malformed, what, "patch." + clean_text(where)};
}

/// Values of canonical counters by "name" or "name:lane"; a value that the list lacks is added.
Result<void> patch_counters(json& values, const json& patch) {
  for (const auto& [key, raw] : patch.items()) {
    const auto colon = key.find(':');
    const std::string id = key.substr(0, colon);
    const std::string lane = colon == std::string::npos ? std::string() : key.substr(colon + 1);
    const auto at = std::find_if(values.begin(), values.end(), [&](const json& value) {
      return text_at(value, "id") == id && text_at(value, "lane") == lane;
    });
    if (raw.is_null()) {
      if (at != values.end()) values.erase(at);
    } else if (at != values.end() && at->is_object()) {
      (*at)["raw"] = raw;
    } else {
      json added{{"id", id}, {"raw", raw}};
      if (!lane.empty()) {
        const auto number = parse_u64(lane);
        if (!number) return fault(key, "the lane must be a number");
        added["lane"] = *number;
      }
      values.push_back(std::move(added));
    }
  }
  return {};
}

Result<void> merge(json& target, const json& patch) {
  if (!patch.is_object() || is_absent(patch)) {
    target = patch;
    return {};
  }
  if (!target.is_object() || is_absent(target)) target = json::object();
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      target.erase(key);
      continue;
    }
    json& into = target[key];
    const bool counters = key == "values" && into.is_array() && value.is_object();
    if (const Result<void> done = counters ? patch_counters(into, value) : merge(into, value); !done) return done;
  }
  return {};
}

Result<void> patch_elements(json& list, const std::string& array, const json& patch) {
  if (!list.is_array()) list = json::array();
  for (const auto& [name, value] : patch.items()) {
    const std::string wanted = name;
    const auto at = std::find_if(list.begin(), list.end(), [&](const json& e) { return is_called(e, array, wanted); });
    if (at == list.end()) return fault(array + "." + name, "no element of this name to patch");
    if (value.is_null()) {
      list.erase(at);
    } else if (const Result<void> done = merge(*at, value); !done) {
      return done;
    }
  }
  return {};
}

}  // namespace

Result<void> patch_snapshot(json& state, const json& patch) {
  if (!patch.is_object()) return Error{ErrorCode::Malformed, "must be an object", "patch"};
  if (!state.is_object()) return Error{ErrorCode::Malformed, "the snapshot before is no object", "patch"};
  for (const auto& [key, value] : patch.items()) {
    const bool named = (key == "ports" || key == "netdevs" || key == "pci") && value.is_object();
    Result<void> done;
    if (named) {
      done = patch_elements(state[key], key, value);
    } else if (value.is_null()) {
      state.erase(key);
    } else {
      done = merge(state[key], value);
    }
    if (!done) return done;
  }
  return {};
}

}  // namespace roceready

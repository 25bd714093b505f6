// SPDX-License-Identifier: Apache-2.0
#include "probes/bounded_json.h"

#include <nlohmann/json.hpp>

namespace roceready::probes {

using nlohmann::json;

namespace {
constexpr int kMaxDepth = 8;
}

Result<json> parse_bounded(std::string_view text, std::size_t most) {
  if (text.size() > most) return Error{ErrorCode::Malformed, "is longer than " + std::to_string(most) + " bytes", ""};
  bool too_deep = false;
  json parsed = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return depth <= kMaxDepth;
      },
      false);
  if (parsed.is_discarded() || too_deep) return Error{ErrorCode::Malformed, "is not JSON, or nested too deeply", ""};
  return parsed;
}

std::string canonical(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/json_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text.h"

namespace roceready::evidence {
namespace {

/// Brackets, and a name or nothing behind them: "[ {", "},{", "[{\"ifindex\":1", but not "[root@node1 ~]#".
bool is_brackets(std::string_view text) {
  const auto at = text.find_first_not_of("[]{}, \t");
  return at == std::string_view::npos || text[at] == '"';
}

/// "\"mtu\": 9000,"
bool is_member(std::string_view text) {
  const auto end = text.find('"', 1);
  if (end == std::string_view::npos || end == 1) return false;
  const auto colon = text.find_first_not_of(" \t", end + 1);
  return colon != std::string_view::npos && text[colon] == ':';
}

}  // namespace

bool JsonLines::goes_on(std::string_view line) const {
  const std::string_view text = trim(line);
  if (text.empty()) return reader_.open();
  const bool bracket = text[0] == '[' || text[0] == '{' || (reader_.open() && (text[0] == ']' || text[0] == '}'));
  if (bracket) return is_brackets(text);
  if (text[0] != '"') return false;
  return is_member(text) || (reader_.open() && (text.ends_with('"') || text.ends_with("\",")));
}

std::vector<Line> JsonLines::take(Line line) {
  if (line.text.empty()) return {};
  reader_.take(line);
  bytes_ += line.text.size();
  kept_.push_back(std::move(line));
  std::vector<JsonValue> objects = reader_.take_objects();
  if (!objects.empty() || !reader_.open()) return release(std::move(objects));
  if (kept_.size() <= kMostLines && bytes_ <= kMostBytes) return {};
  reader_.end();
  static_cast<void>(reader_.take_objects());
  return release({});
}

std::vector<Line> JsonLines::end() {
  reader_.end();
  return release(reader_.take_objects());
}

std::vector<Line> JsonLines::release(std::vector<JsonValue> objects) {
  std::vector<Line> out;
  std::vector<Line> strange;
  for (const JsonValue& object : objects) {
    std::vector<Line> lines = plain_lines(object);
    if (lines.empty())
      strange.push_back({object.line, "an object named \"" + std::string(object.word("ifname")) + "\""});
    std::move(lines.begin(), lines.end(), std::back_inserter(out));
  }
  const bool told = !out.empty();
  std::vector<Line> kept = std::exchange(kept_, {});
  bytes_ = 0;
  const bool ends = !reader_.open();
  const bool only_brackets = std::all_of(kept.begin(), kept.end(), [](const Line& line) {
    return line.text.find_first_not_of("[]{}, \t") == std::string::npos;
  });
  if (!told && !(ours_ && only_brackets))
    out = std::move(kept);
  else
    std::move(strange.begin(), strange.end(), std::back_inserter(out));
  ours_ = !ends && (ours_ || told);
  return out;
}

}  // namespace roceready::evidence

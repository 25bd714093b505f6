// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "config/settings.h"
#include "config/value.h"
#include "core/base/text.h"

namespace roceready::config {
namespace {

/// One line of the output: a section or a value. A line that would set a limit of a rule to its default is a comment,
/// so that reading the output back changes nothing.
struct Line {
  std::string text, origin;
  std::size_t depth = 0;
  bool comment = false;
};

std::string yaml_text(const Option& option, const std::string& text) {
  switch (option.type) {
    case OptionType::Text:
    case OptionType::Endpoint:
    case OptionType::Time:
      return in_quotes(text);
    case OptionType::TextList: {
      const auto value = parse_text(option, text);
      std::string out;
      if (value)
        for (const std::string& item : value->list) out += (out.empty() ? "" : ", ") + in_quotes(item);
      return "[" + out + "]";
    }
    default:
      return text;
  }
}

std::size_t common_depth(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::size_t depth = 0;
  while (depth + 1 < a.size() && depth + 1 < b.size() && a[depth] == b[depth]) ++depth;
  return depth;
}

}  // namespace

std::string print(const Loaded& loaded, const std::vector<Option>& options) {
  // Rows of one section may lie apart in the table, and YAML allows a section once.
  std::vector<const Option*> sorted;
  for (const Option& option : options) sorted.push_back(&option);
  std::sort(sorted.begin(), sorted.end(), [](const Option* a, const Option* b) { return a->key < b->key; });

  std::vector<Line> lines;
  std::vector<std::string_view> before;
  std::vector<std::size_t> open;  // indexes of the section lines around the present one
  for (const Option* option : sorted) {
    const std::vector<std::string_view> parts = split(option->key, '.');
    const auto value = loaded.values.find(option->key);
    const auto origin = loaded.origin.find(option->key);
    if (value == loaded.values.end() || origin == loaded.origin.end()) continue;
    const std::size_t shared = common_depth(before, parts);
    open.resize(shared);
    for (std::size_t depth = shared; depth + 1 < parts.size(); ++depth) {
      open.push_back(lines.size());
      lines.push_back({std::string(parts[depth]) + ":", "", depth, true});
    }
    const bool unset = option->optional && origin->second == "default";
    const bool comment = unset || (option->key.starts_with("rules.") && origin->second == "default");
    if (!comment)
      for (const std::size_t section : open) lines[section].comment = false;
    lines.push_back({std::string(parts.back()) + ":" + (unset ? "" : " " + yaml_text(*option, value->second)),
                     origin->second, parts.size() - 1, comment});
    before = parts;
  }

  std::string out;
  for (const Line& line : lines) {
    out += (line.comment ? "# " : "") + std::string(line.depth * 2, ' ') + line.text;
    out += line.origin.empty() ? "\n" : "  # " + line.origin + "\n";
  }
  return out;
}

}  // namespace roceready::config

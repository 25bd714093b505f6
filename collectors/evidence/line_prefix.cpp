// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/line_prefix.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "collectors/evidence/format.h"
#include "collectors/evidence/line.h"
#include "collectors/evidence/split.h"
#include "core/base/text.h"

namespace roceready::evidence {

extern const Format kLogLines;

namespace {

constexpr std::string_view kDigits = "0123456789";

/// The number of `cat -n` in front of a tab, or alone.
std::optional<std::uint64_t> number_of(std::string_view line) {
  return parse_u64(trim(line.substr(0, line.find('\t'))));
}

/// Bytes of a time stamp with its zone, or without a year, and of the blank behind it; 0 for none.
std::size_t stamp_length(std::string_view line) {
  constexpr std::size_t kSeconds = 19, kSyslog = 15;
  const auto is_shape = [&](std::string_view shape) {  // 0: a digit, a: a letter, else itself
    return line.size() >= shape.size() && std::equal(shape.begin(), shape.end(), line.begin(), [](char want, char c) {
             const bool digit = c >= '0' && c <= '9', letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
             return want == '0' ? digit : want == '9' ? digit || c == ' ' : want == 'a' ? letter : want == c;
           });
  };
  std::size_t end = 0;
  if (is_shape("0000-00-00T00:00:00")) {
    end = kSeconds;
    if (end < line.size() && line[end] == '.') end = std::min(line.find_first_not_of(kDigits, end + 1), line.size());
    const std::string_view zone = line.substr(end, line.substr(end).find(' '));
    if (zone != "Z" && (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':')) return 0;
    end += zone.size();
  } else if (is_shape("aaa 90 00:00:00")) {
    end = kSyslog;
  } else {
    return 0;
  }
  if (end < line.size() && line[end] != ' ') return 0;
  return std::min(end + 1, line.size());
}

/// A command or a line of an output; what logs say stands behind stamps of their own.
bool is_of_tool(std::string_view line) {
  CommandLine command;
  if (read_command_line(line, command) && command.known()) return true;
  const auto all = formats();
  return std::any_of(all.begin(), all.end(), [&](const Format* format) {
    About about;
    const Fit fit = format == &kLogLines ? Fit::No : format->fit(line, about);
    return fit == Fit::Certain || fit == Fit::Begins;
  });
}

}  // namespace

LinePrefix line_prefix_of(std::string_view text) {
  constexpr std::size_t kLook = std::size_t{16} << 10, kMostLines = 100, kLeast = 3;
  text = text.substr(0, kLook);
  const Dress dress = dress_of(text);
  std::size_t lines = 0, numbered = 0, tabbed = 0, stamped = 0, of_tools = 0;
  while (!text.empty() && lines < kMostLines) {
    const Cut cut = cut_line(text);
    const std::string line = clean_line(text.substr(0, cut.length), dress);
    const bool whole = cut.next > cut.length;
    text.remove_prefix(cut.next);
    if (line.empty() || !whole) continue;
    ++lines;
    numbered += number_of(line) == lines ? 1 : 0;
    tabbed += line.find('\t') != std::string::npos ? 1 : 0;
    const std::size_t length = stamp_length(line);
    if (length == 0) continue;
    ++stamped;
    of_tools += is_of_tool(std::string_view(line).substr(length)) ? 1 : 0;
  }
  if (lines < kLeast) return LinePrefix::None;
  if (numbered == lines && tabbed * 2 > lines) return LinePrefix::Number;
  const bool all = stamped + lines / 10 >= lines;
  return all && of_tools >= kLeast && of_tools * 4 >= stamped ? LinePrefix::Stamp : LinePrefix::None;
}

std::string_view without_prefix(std::string_view line, LinePrefix prefix) {
  if (prefix == LinePrefix::Stamp) return line.substr(stamp_length(line));
  if (prefix != LinePrefix::Number || !number_of(line)) return line;
  return line.substr(std::min(line.find('\t'), line.size() - 1) + 1);
}

}  // namespace roceready::evidence

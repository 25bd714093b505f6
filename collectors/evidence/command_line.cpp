// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collectors/evidence/format.h"
#include "collectors/evidence/split.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::size_t kMostWords = 40;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/// What follows a shell's prompt; `host` by it. Nothing where there is no prompt that can be nothing else.
std::optional<std::string_view> behind_prompt(std::string_view line, std::string& host) {
  constexpr std::size_t kLongestPrompt = 120;
  const auto end = line.find_first_of("#$%");
  if (end == std::string_view::npos || end == 0 || end > kLongestPrompt) return std::nullopt;
  if (end + 1 < line.size() && line[end + 1] != ' ') return std::nullopt;
  std::string_view prompt = trim(line.substr(0, end));
  const bool boxed = prompt.starts_with("[") && prompt.ends_with("]");
  if (boxed) prompt = prompt.substr(1, prompt.size() - 2);
  const auto at = prompt.find('@');
  const auto colon = prompt.find(':');
  if (at == std::string_view::npos && colon == std::string_view::npos) return std::nullopt;
  if (at != std::string_view::npos && prompt.substr(0, at).find(' ') != std::string_view::npos) return std::nullopt;
  std::string_view name = prompt.substr(at == std::string_view::npos ? 0 : at + 1);
  name = name.substr(0, std::min(name.find_first_of(": "), name.size()));
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_word_character)) return std::nullopt;
  // Without a user the part behind the colon must be a directory: "node1:~#", not "errors: #".
  if (at == std::string_view::npos &&
      (colon + 1 >= prompt.size() || (prompt[colon + 1] != '~' && prompt[colon + 1] != '/')))
    return std::nullopt;
  host = std::string(name.substr(0, name.find('.')));
  return trim(line.substr(std::min(end + 1, line.size())));
}

/// What a heading or a trace frames: "+ cmd", "$ cmd", "# cmd", "==== cmd ====", "--- cmd ---", "### cmd:", "**cmd**".
std::string_view unframed(std::string_view line) {
  constexpr std::string_view kFrame = "+$#=-*>[]:`\" \t";
  const auto begin = line.find_first_not_of(kFrame);
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  const auto end = line.find_last_not_of(kFrame);
  return line.substr(0, end + 1);
}

/// Words of the first command of a line: no sudo, no assignments in front, no path of the program, nothing behind a
/// pipe, a redirection or the next command.
std::vector<std::string> command_words(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view word : words_of(text)) {
    if (out.size() >= kMostWords) break;
    if (word == "|" || word == ";" || word == "&&" || word == "||" || word.starts_with(">") || word.starts_with("2>"))
      break;
    if (out.empty() &&
        (word == "sudo" || word == "time" || word == "watch" || word.find('=') != std::string_view::npos))
      continue;
    std::string_view plain = word;
    if (plain.ends_with(";") || plain.ends_with("|")) plain.remove_suffix(1);
    while (plain.size() > 1 && (plain.front() == '\'' || plain.front() == '"')) plain.remove_prefix(1);
    while (plain.size() > 1 && (plain.back() == '\'' || plain.back() == '"')) plain.remove_suffix(1);
    if (out.empty()) plain = plain.substr(plain.rfind('/') == std::string_view::npos ? 0 : plain.rfind('/') + 1);
    if (plain.empty()) break;
    out.emplace_back(plain);
    if (word.ends_with(";") || word.ends_with("|")) break;
  }
  return out;
}

/// A cheap look before words are made: a program's name or path, sudo, or an assignment in front.
bool may_begin_command(std::string_view text) {
  const std::string_view first = text.substr(0, std::min(text.find(' '), text.size()));
  return !first.empty() && first.back() != ':' && first.back() != ',' &&
         (first[0] == '/' || first[0] == '.' || (first[0] >= 'a' && first[0] <= 'z') ||
          first.find('=') != std::string_view::npos);
}

/// "ib_write_bw 65536: ok" tells what a command did. A command holds ": " only within quotes or behind a pipe.
bool is_told(std::string_view text) {
  const auto colon = text.find(": ");
  return colon != std::string_view::npos && colon < text.find_first_of("|'\"");
}

bool is_program(std::string_view word) {
  return !word.empty() && word[0] >= 'a' && word[0] <= 'z' && std::all_of(word.begin(), word.end(), is_word_character);
}

}  // namespace

const Format* format_made_by(const std::vector<std::string>& words, About& about) {
  if (words.empty()) return nullptr;
  for (const Format* format : formats()) {
    About found;
    if (!format->made_by || !format->made_by(words, found)) continue;
    about = found;
    return format;
  }
  return nullptr;
}

bool read_command_line(std::string_view line, CommandLine& out) {
  constexpr std::size_t kLongest = 600;
  line = trim(line);
  if (line.empty() || line.size() > kLongest) return false;
  std::string host;
  const auto command = behind_prompt(line, host);
  const std::string_view text = command ? *command : unframed(line);
  if (!command && (!may_begin_command(text) || is_told(text))) return false;
  CommandLine found;
  found.words = command_words(text);
  found.host = host;
  if (!command && (found.words.empty() || !is_program(found.words[0]))) return false;
  found.format = format_made_by(found.words, found.about);
  if (!command && !found.format) return false;
  out = std::move(found);
  return true;
}

}  // namespace roceready::evidence

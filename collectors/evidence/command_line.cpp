// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
#include "collectors/evidence/host_prefix.h"
#include "collectors/evidence/split.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/// "bash-5.1" or "sh-4.4": a shell's prompt where nobody set one, as in a container.
bool is_shell_and_version(std::string_view prompt) {
  const auto dash = prompt.find("sh-");
  if (dash == std::string_view::npos || dash > 2) return false;
  const std::string_view version = prompt.substr(dash + 3);
  return !version.empty() && version.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// A prompt without the time in front of it: "[10:23:01] root@node1:~", "10:23:01 root@node1:~".
std::string_view without_clock(std::string_view prompt) {
  prompt = trim(prompt);
  const bool boxed = prompt.starts_with("[");
  const auto end = prompt.find(boxed ? "] " : " ");
  if (end == std::string_view::npos) return prompt;
  const std::string_view clock = trim(prompt.substr(boxed ? 1 : 0, end - (boxed ? 1 : 0)));
  const bool only_time = clock.find(':') != std::string_view::npos && clock[0] >= '0' && clock[0] <= '9' &&
                         clock.find_first_not_of("0123456789:.-/ T") == std::string_view::npos;
  const std::string_view rest = trim(prompt.substr(end + 1));
  return only_time && rest.find(": ") == std::string_view::npos ? rest : prompt;  // "10:23:01 a@b: 50%" is a log's
}

/// What follows a shell's prompt; `host` by it. Nothing where there is no prompt that can be nothing else.
std::optional<std::string_view> behind_prompt(std::string_view line, std::string& host) {
  constexpr std::size_t kLongestPrompt = 120;
  const auto end = line.find_first_of("#$%");
  if (end == std::string_view::npos || end == 0 || end > kLongestPrompt) return std::nullopt;
  const bool parted = end + 1 >= line.size() || line[end + 1] == ' ';
  std::string_view prompt = without_clock(line.substr(0, end));
  const std::string_view command = trim(line.substr(std::min(end + 1, line.size())));
  // "[root@node1 ~]#ethtool -S eth0": without a blank only where a command of ours follows a prompt of this kind.
  if (!parted && (prompt.find('@') == std::string_view::npos || !commands_of(command).known())) return std::nullopt;
  if (is_shell_and_version(prompt)) return command;
  if (prompt.starts_with("(") && prompt.find(") ") != std::string_view::npos)  // "(base) user@node1:~": an environment
    prompt = trim(prompt.substr(prompt.find(") ") + 1));
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
  return command;
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

/// What people put in front of a command that is no host, and names of netdevs, devices and files.
bool is_no_host(std::string_view name) {
  constexpr std::string_view kWords[] = {"root", "user", "admin",  "guest", "shell", "sh",  "bash", "zsh",   "ksh",
                                         "fish", "cmd",  "before", "after", "then",  "now", "run",  "input", "output"};
  const std::string prefix = std::string(name) + ":";
  return is_shell_and_version(name) || parse_u64(name) ||
         std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords) || !host_prefix(prefix);
}

/// The host of a prompt behind which a command of ours stands: "gpu01" of "gpu01#", "[gpu01 ~]$", "root@gpu01:~ >",
/// "gpu01 $"; "" where the word may be anything.
std::string host_of_prompt(std::string_view prompt) {
  prompt = without_clock(prompt);
  const bool boxed = prompt.starts_with("[") && prompt.ends_with("]");
  if (boxed) prompt = prompt.substr(1, prompt.size() - 2);
  const auto words = words_of(prompt);
  if (words.empty() || words.size() > 2) return {};
  std::string_view name = words[0], folder = words.size() == 2 ? words[1] : std::string_view();
  const auto at = name.find('@');
  if (at != std::string_view::npos) name.remove_prefix(at + 1);
  const auto colon = name.find(':');
  if (colon != std::string_view::npos) {
    if (words.size() == 2 || colon + 1 == name.size()) return {};
    folder = name.substr(colon + 1);
    name = name.substr(0, colon);
  }
  const bool in_folder = folder.starts_with("~") || folder.starts_with("/");
  if (!folder.empty() && !in_folder && !boxed) return {};
  const bool sure = at != std::string_view::npos || ((colon != std::string_view::npos || boxed) && in_folder);
  return is_no_host(name) || (!sure && !is_called_like_a_host(name)) ? std::string() : short_host_name(name);
}

/// A prompt that people made themselves, of which only its end is known: a command that makes an output of ours
/// follows.
bool behind_any_prompt(std::string_view line, CommandLine& out) {
  constexpr std::size_t kLongestPrompt = 120;
  for (auto at = line.find_first_of("#$%>"); at != std::string_view::npos && at < kLongestPrompt;
       at = line.find_first_of("#$%>", at + 1)) {
    if (at + 2 >= line.size() || line[at + 1] != ' ') continue;
    const std::string_view text = trim(line.substr(at + 1));
    if (!may_begin_command(text) || is_told(text)) continue;
    CommandLine found = commands_of(text);
    if (!found.known() || !is_program(found.commands[0].words[0])) continue;
    out = std::move(found);
    out.host = host_of_prompt(line.substr(0, at));
    return true;
  }
  return false;
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
  if (const auto command = behind_prompt(line, host)) {
    out = commands_of(*command);
    out.host = host;
    return true;
  }
  const std::string_view text = unframed(line);
  if (may_begin_command(text) && !is_told(text)) {
    CommandLine found = commands_of(text);
    const bool program = !found.commands.empty() && is_program(found.commands[0].words[0]);
    if (program && (found.known() || line.starts_with("$ "))) return out = std::move(found), true;
  }
  return behind_any_prompt(line, out);
}

bool read_watch_heading(std::string_view line, CommandLine& out, WallTime& when) {
  constexpr std::string_view kEvery = "Every ";
  if (!line.starts_with(kEvery)) return false;
  const auto second = line.find("s: ");
  if (second == std::string_view::npos || line.find_first_not_of("0123456789.,", kEvery.size()) != second) return false;
  const std::string_view text = line.substr(second + 3);
  for (const std::string_view word : words_of(text)) {
    const auto at = static_cast<std::size_t>(word.data() - text.data());
    const auto wall = wall_time_line(text.substr(at));
    if (!wall) continue;
    std::string_view command = trim(text.substr(0, at));
    const auto words = words_of(command);
    const std::string_view last = words.empty() ? std::string_view() : words.back();
    std::string host;
    if (last.ends_with(":") && is_host_name(last.substr(0, last.size() - 1))) {
      host = short_host_name(last.substr(0, last.size() - 1));
      command = trim(command.substr(0, command.size() - last.size()));
    }
    out = command.ends_with("...") ? CommandLine() : commands_of(command);
    out.host = std::move(host);
    when = *wall;
    return true;
  }
  return false;
}

}  // namespace roceready::evidence

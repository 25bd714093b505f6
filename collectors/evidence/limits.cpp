// SPDX-License-Identifier: Apache-2.0
// Locked-memory limits: /proc/PID/limits ("Max locked memory  65536  65536  bytes"), ulimit -a ("max locked memory
// (kbytes, -l) 64"), ulimit -l ("unlimited" or kibibytes, alone).
#include <algorithm>
#include <iterator>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/proc_path.h"
#include "collectors/evidence/processes.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kProc = "/proc/", kFile = "/limits";

/// What stands for the process in "/proc/PROCESS/limits"; "" for any other word.
std::string_view process_of(std::string_view word) {
  if (!word.starts_with(kProc)) return {};
  const auto end = word.find(kFile, kProc.size());
  return end == std::string_view::npos ? std::string_view() : word.substr(kProc.size(), end - kProc.size());
}

bool made_by(std::span<const std::string> words, About&) {
  if (words[0] == "ulimit") return true;
  if (words[0] == "grep" || words[0] == "egrep") return !process_of(words.back()).empty();
  return words[0] == "cat" && words.size() > 1 && words[1].starts_with(kProc) && words[1].ends_with(kFile);
}

/// The program that "$(pgrep -o slurmd)" asks for; "" for any other word.
std::string_view program_asked_for(std::string_view process) {
  if (!process.starts_with("$(") || !process.ends_with(")")) return {};
  const auto words = words_of(process.substr(2, process.size() - 3));
  const bool by_name = words.size() > 1 && (words[0] == "pgrep" || words[0] == "pidof");
  return by_name ? words.back() : std::string_view();
}

/// What stands for the process in the path of the line or the command; "" where neither has one.
std::string_view process_told(const Section& section, std::string_view line) {
  if (const auto process = process_of(line); !process.empty()) return process;
  for (const std::string& word : section.words) {
    if (const auto process = process_of(word); !process.empty()) return process;
  }
  return {};
}

/// MemlockLimit::unit. A program is one that uses RDMA where the command names it, by the question that it answers; of
/// a bare PID or a file alone nobody says which program it is.
std::string owner_of(const Section& section, std::string_view process) {
  constexpr std::string_view kOwn[] = {"self", "thread-self", "$$", "$PPID", "$BASHPID"};
  if (std::find(std::begin(kOwn), std::end(kOwn), process) != std::end(kOwn)) return kOfShell + section.file;
  const std::string_view program = program_asked_for(process);
  if (!program.empty()) return (is_login_program(program) ? kOfShell : kOfProcess) + section.file;
  return kOfSomebody + (parse_u64(process) ? std::string(process) + " of " : "of ") + section.file;
}

constexpr std::string_view kName = "max locked memory";

bool is_locked_memory(std::string_view line) {
  const std::string_view text = trim(behind_proc_path(line));
  if (text.size() < kName.size() || (text[0] != 'm' && text[0] != 'M')) return false;
  return lower(text.substr(0, kName.size())) == kName;
}

bool is_other_limit(std::string_view line) {
  const std::string_view text = trim(behind_proc_path(line));
  if (text.starts_with("Max ") || text.starts_with("Limit ")) return true;
  const auto open = text.find('(');
  return open != std::string_view::npos && text.find("-", open) != std::string_view::npos &&
         text.find(')', open) != std::string_view::npos;
}

Fit fit(std::string_view line, About&) {
  constexpr std::size_t kLongest = 120;
  const auto begin = line.find_first_not_of(" \t");
  if (line.size() > kLongest || begin == std::string_view::npos) return Fit::No;
  if (is_locked_memory(line)) return Fit::Certain;
  return is_other_limit(line) || words_of(line).size() == 1 ? Fit::Possible : Fit::No;
}

/// A soft limit in units of `scale` bytes.
Reading<std::uint64_t> limit_of(std::string_view word, std::uint64_t scale) {
  if (word == "unlimited") return UINT64_MAX;
  const auto number = parse_u64(word);
  if (!number || *number > UINT64_MAX / scale)
    return Absent{Why::Malformed, "\"" + std::string(word) + "\" is no limit"};
  return *number * scale;
}

void keep(Draft& draft, const Section& section, const Line& line, std::string whose, Reading<std::uint64_t> bytes) {
  Reading<std::vector<MemlockLimit>>& list = draft.host().memlock;
  constexpr std::size_t kMost = 8192;  // of `grep locked /proc/*/limits`, few of which are kept
  if (!list) list = std::vector<MemlockLimit>();
  if (list->size() >= kMost) return;
  const std::string place = place_text(section, line.number);
  list->push_back({std::move(whose), std::move(bytes), place});
}

void parse(const Section& section, Draft& draft) {
  constexpr std::uint64_t kKibi = 1024;
  for (const Line& line : section.lines) {
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    if (is_locked_memory(line.text)) {
      const auto close = line.text.find(')');
      const bool shell = close != std::string::npos && line.text.find("-l") != std::string::npos;
      const auto values = words_of(std::string_view(line.text).substr(shell ? close + 1 : line.text.find("emory") + 5));
      if (values.empty())
        draft.unread(section, line, "no limit");
      else
        keep(draft, section, line,
             shell ? kOfShell + section.file : owner_of(section, process_told(section, trim(line.text))),
             limit_of(values[0], shell ? kKibi : 1));
    } else if (!section.words.empty() && section.words[0] == "ulimit" && has_word(section.words, "-l") &&
               words.size() == 1) {
      keep(draft, section, line, kOfShell + section.file, limit_of(words[0], kKibi));
    } else if (!is_other_limit(line.text)) {
      draft.unread(section, line);
    }
  }
}

}  // namespace

extern const Format kLimits;
constinit const Format kLimits{"limits", "cat /proc/PID/limits", false, made_by, fit, parse};

}  // namespace roceready::evidence

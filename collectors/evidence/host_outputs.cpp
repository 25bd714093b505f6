// SPDX-License-Identifier: Apache-2.0
// Small outputs about the host: /proc/cmdline, uname -a, hostname, uptime, lscpu and /proc/cpuinfo, lsmod,
// /proc/driver/nvidia/version; numactl -H and nvidia-smi, which are known and say nothing that is judged.
#include <algorithm>
#include <array>
#include <utility>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/proc_path.h"
#include "collectors/evidence/words.h"
#include "collectors/host_tuning.h"
#include "collectors/node_parse.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

bool shows(std::span<const std::string> words, std::string_view path) {
  return words[0] == "cat" && has_word(words, path);
}

bool made_by(std::span<const std::string> words, About&) {
  constexpr std::array<std::string_view, 9> kTools = {"uname", "hostname", "hostnamectl", "uptime",    "lscpu",
                                                      "lsmod", "numactl",  "nvidia-smi",  "nvidia-smi"};
  return std::find(kTools.begin(), kTools.end(), words[0]) != kTools.end() || shows(words, "/proc/cmdline") ||
         shows(words, "/proc/cpuinfo") || shows(words, "/proc/driver/nvidia/version") || shows(words, "/etc/hostname");
}

constexpr std::string_view kCmdlinePath = "/proc/cmdline:";

bool is_command_line(std::string_view text) {
  return text.starts_with("BOOT_IMAGE=") || text.starts_with(kCmdlinePath) ||
         (text.find(" root=") != std::string_view::npos && text.find(" ro ") != std::string_view::npos);
}

bool is_uname(std::string_view text) {
  return text.starts_with("Linux ") && (text.ends_with("GNU/Linux") || text.find(" SMP ") != std::string_view::npos);
}

bool is_uptime(std::string_view text) {
  return text.find("load average:") != std::string_view::npos && text.find(" up ") != std::string_view::npos;
}

bool is_filler(std::string_view text) {
  return text.starts_with("node ") || text.starts_with("available: ") || text.starts_with("GPU ") ||
         text.starts_with("NIC") || text.starts_with("Legend:") || text.starts_with("node distances:");
}

/// What may stand in an output of these that has begun: a word alone, a row of lsmod, "Key:   value" of lscpu, the
/// frames of nvidia-smi, a kernel's command line.
bool may_follow(std::string_view text) {
  constexpr std::size_t kLongest = 400;
  if (text.size() > kLongest) return false;
  if (text[0] == '|' || text[0] == '+' || is_filler(text)) return true;
  if (text.find(":  ") != std::string_view::npos || text.find("\t:") != std::string_view::npos) return true;
  const auto blank = text.find_first_of(" \t");
  if (blank == std::string_view::npos) return true;
  const auto second = text.find_first_not_of(" \t", blank);
  if (text[second] >= '0' && text[second] <= '9') {
    const auto words = words_of(text);
    if (words.size() >= 3 && parse_u64(words[1]) && parse_u64(words[2])) return true;
  }
  return text.find('=') != std::string_view::npos && text.find(": ") == std::string_view::npos;
}

Fit fit(std::string_view line, About&) {
  const std::string_view text = trim(line.starts_with(kCmdlinePath) ? line : behind_proc_path(line));
  if (text.empty()) return Fit::No;
  switch (text[0]) {
    case 'B':
    case '/':
      if (is_command_line(text)) return Fit::Certain;
      break;
    case 'F':
      if (text.starts_with("Flags:")) return Fit::Certain;  // longer than anything else here
      break;
    case 'L':
      if (is_uname(text)) return Fit::Certain;
      break;
    case 'M':
      if (text.starts_with("Module ") && text.ends_with("Used by")) return Fit::Begins;
      break;
    case 'N':
      if (text.starts_with("NVRM version:")) return Fit::Certain;
      break;
    case 'v':
    case 'V':
    case 'H':
      if (text.starts_with("vendor_id") || text.starts_with("Vendor ID:") || text.starts_with("Hypervisor vendor:"))
        return text.starts_with("vendor_id:") ? Fit::Possible : Fit::Certain;
      break;
    case 'S':
      if (text.starts_with("Static hostname:")) return Fit::Certain;
      break;
    default:
      if (text[0] >= '0' && text[0] <= '9' && is_uptime(text)) return Fit::Certain;
      if (text.starts_with("flags\t") || text.starts_with("flags ")) return Fit::Certain;
  }
  return may_follow(text) ? Fit::Possible : Fit::No;
}

void keep_uname(Draft& draft, const std::vector<std::string_view>& words) {
  if (words.size() < 3) return;
  draft.node().hostname = std::string(words[1].substr(0, words[1].find('.')));
  draft.node().kernel = std::string(words[2]);
}

/// "up 3 days, 4:05", "up 35 min", "up  1:02", "up 10:11": seconds.
std::optional<double> uptime_seconds(std::string_view text) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  const auto begin = text.find(" up "), end = text.find(" user");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  const auto words = words_of(text.substr(begin + 4, end - begin - 4));
  double out = 0;
  bool any = false;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.ends_with(",")) word.remove_suffix(1);
    const auto colon = word.find(':');
    const auto number = parse_u64(word.substr(0, colon));
    if (!number) continue;
    const auto minutes = colon == std::string_view::npos ? std::nullopt : parse_u64(word.substr(colon + 1));
    const double value = static_cast<double>(*number);
    if (minutes)
      out += value * kHour + static_cast<double>(*minutes) * kMinute;
    else if (words[i + 1].starts_with("day"))
      out += value * kDay;
    else if (words[i + 1].starts_with("min"))
      out += value * kMinute;
    else if (words[i + 1].starts_with("h"))
      out += value * kHour;
    else
      continue;
    any = true;
  }
  return any ? std::optional(out) : std::nullopt;
}

/// Facts of lscpu and /proc/cpuinfo.
bool keep_processor(Draft& draft, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string key = lower(trim(text.substr(0, colon)));
  const std::string_view value = trim(text.substr(colon + 1));
  if (key == "vendor id" || key == "vendor_id")
    draft.host().cpu_vendor = std::string(value);
  else if (key == "hypervisor vendor")
    draft.host().virtual_machine = true;
  else if (key == "static hostname")
    draft.node().hostname = std::string(value);
  else
    return false;
  return true;
}

/// Reads the lines of one section.
class Reader {
 public:
  Reader(const Section& section, Draft& draft) : section_(section), draft_(draft) {}

  void take(const Line& line) {
    const std::string_view whole = line.text;
    const std::string_view text = trim(whole.starts_with(kCmdlinePath) ? whole : behind_proc_path(whole));
    if (text.empty()) return;
    const auto words = words_of(text);
    flags_end(text);
    if (flags(text)) return;
    if (modules_ && words.size() >= 3 && parse_u64(words[1]) && parse_u64(words[2])) return module(words[0]);
    if (text.starts_with("Module ") && text.ends_with("Used by")) return begin_modules();
    if (is_command_line(text)) {
      const bool told = text.starts_with(kCmdlinePath);
      draft_.host().kernel_command_line = std::string(trim(text.substr(told ? kCmdlinePath.size() : 0)));
      draft_.cite("/proc/cmdline", section_, line.number);
    } else if (is_uname(text)) {
      keep_uname(draft_, words);
      draft_.cite("/proc/sys/kernel/osrelease", section_, line.number);
    } else if (is_uptime(text)) {
      const auto seconds = uptime_seconds(" " + std::string(text));
      if (seconds) draft_.node().uptime_seconds = *seconds;
    } else if (text.starts_with("NVRM version:")) {
      draft_.host().nvidia_driver = std::string(text);
    } else if (!keep_processor(draft_, text)) {
      rest(line, text, words);
    }
  }

  /// What stands behind the output in its file shows that its last line is whole.
  void finish() {
    if (section_.next != nullptr) flags_end(":");
  }

 private:
  /// A list of flags that may be cut tells of a hypervisor where it names it, and of none only where another line
  /// follows.
  bool flags(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || lower(trim(text.substr(0, colon))) != "flags") return false;
    const auto guest = parse_hypervisor("flags\t\t: " + std::string(trim(text.substr(colon + 1))) + "\n");
    if (guest && *guest) draft_.host().virtual_machine = true;
    no_hypervisor_ = guest && !*guest;
    // The kernel lists flags by feature word: what stands in a later word than the hypervisor's shows that it is not
    // among them, even of a list that is cut (asm/cpufeatures.h).
    for (const std::string_view later : {"lahf_lm", "fsgsbase", "erms"}) {
      if (text.find(" " + std::string(later)) != std::string_view::npos) flags_end(":");
    }
    return true;
  }
  void flags_end(std::string_view text) {
    const bool whole = std::exchange(no_hypervisor_, false) && text.find(':') != std::string_view::npos;
    if (whole && !draft_.host().virtual_machine) draft_.host().virtual_machine = false;
  }
  void begin_modules() {
    modules_ = true;
    draft_.host().modules = std::vector<std::string>();
  }
  void module(std::string_view name) {
    std::vector<std::string>& list = *draft_.host().modules;
    if (is_rdma_module(name) && std::find(list.begin(), list.end(), name) == list.end())
      list.insert(std::lower_bound(list.begin(), list.end(), name), std::string(name));
  }
  /// What a command's own words explain.
  void rest(const Line& line, std::string_view text, const std::vector<std::string_view>& words) {
    const std::string command = section_.words.empty() ? "" : section_.words[0];
    const bool cmdline = !section_.words.empty() && section_.words.back() == "/proc/cmdline";
    if (cmdline)
      draft_.host().kernel_command_line = std::string(text);
    else if ((command == "hostname" || (command == "cat" && section_.words.back() == "/etc/hostname")) &&
             words.size() == 1)
      draft_.node().hostname = std::string(text.substr(0, text.find('.')));
    else if (command == "uname" && words.size() == 1)
      draft_.node().kernel = std::string(text), draft_.cite("/proc/sys/kernel/osrelease", section_, line.number);
    else
      draft_.unread(section_, line, is_filler(text) || !command.empty() ? "says nothing that is judged" : "");
  }

  const Section& section_;
  Draft& draft_;
  bool modules_ = false, no_hypervisor_ = false;
};

void parse(const Section& section, Draft& draft) {
  Reader reader(section, draft);
  for (const Line& line : section.lines) reader.take(line);
  reader.finish();
}

}  // namespace

extern const Format kHostOutputs;
constinit const Format kHostOutputs{
    "uname, lscpu, lsmod, /proc/cmdline", "uname -a; cat /proc/cmdline; lscpu; lsmod", false, made_by, fit, parse};

}  // namespace roceready::evidence

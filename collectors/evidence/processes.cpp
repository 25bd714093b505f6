// SPDX-License-Identifier: Apache-2.0
// Which processes use RDMA. They hold a device file open: lsof and fuser of /dev/infiniband/uverbs0, `ls -l
// /proc/PID/fd`, /proc/PID/maps. ps -ef, ps aux and ps -eo pid,comm name the program of a PID.
#include "collectors/evidence/processes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "collectors/evidence/ask.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

constexpr char kUser[] = "process_of_rdma", kLogin[] = "process_of_login";
constexpr std::string_view kDevice = "/dev/infiniband/", kProc = "/proc/";

std::optional<std::uint64_t> pid_of(std::string_view word) {
  constexpr std::uint64_t kGreatest = 1U << 22U;  // PID_MAX_LIMIT of 64-bit kernels
  const auto pid = parse_u64(word);
  return pid && *pid > 0 && *pid <= kGreatest ? pid : std::nullopt;
}

/// "/proc/4711/maps": 4711.
std::optional<std::uint64_t> pid_in_path(std::string_view word) {
  if (!word.starts_with(kProc)) return std::nullopt;
  word.remove_prefix(kProc.size());
  return pid_of(word.substr(0, word.find('/')));
}

bool made_by(std::span<const std::string> words, About&) {
  if (words[0] == "lsof" || words[0] == "fuser" || words[0] == "ps") return true;
  return (words[0] == "ls" || words[0] == "cat" || words[0] == "grep") && pid_in_path(words.back()) &&
         (words.back().find("/maps") != std::string::npos || words.back().find("/fd") != std::string::npos);
}

bool is_time(std::string_view word) {
  return word.find(':') != std::string_view::npos && word.find_first_not_of("0123456789:-") == std::string_view::npos;
}

/// The words of a row of ps from its command on: behind "TIME", which is the last of the times in front of it.
std::size_t command_of_ps(const std::vector<std::string_view>& words) {
  constexpr std::size_t kTimeOfPs = 6, kTimeOfAux = 9;
  if (words.size() < kTimeOfPs + 2 || !pid_of(words[1]) || words[0].find(':') != std::string_view::npos) return 0;
  for (const std::size_t at : {kTimeOfPs, kTimeOfAux})
    if (words.size() > at + 1 && is_time(words[at]) && (at == kTimeOfAux || pid_of(words[2]) || words[2] == "0"))
      return at + 1;
  return 0;
}

std::string_view program_of(std::string_view command) {
  if (command.ends_with(":")) command.remove_suffix(1);  // "sshd: /usr/sbin/sshd -D"
  const auto slash = command.rfind('/');
  return slash == std::string_view::npos ? command : command.substr(slash + 1);
}

bool names_device(std::string_view line) {
  const auto at = line.find(kDevice);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = line.substr(at + kDevice.size());
  return rest.starts_with("uverbs") || rest.starts_with("rdma_cm");
}

/// lsof: "ib_write_b 4711 root 5u CHR 231,192 0t0 512 /dev/infiniband/uverbs0".
bool is_row_of_lsof(const std::vector<std::string_view>& words) {
  const bool link = words.size() > 2 && words[words.size() - 2] == "->";  // of ls -l, with a count in the PID's place
  return words.size() >= 7 && !link && pid_of(words[1]) && words.back().starts_with(kDevice);
}

/// Whether the second word begins as a PID does: few lines that are none of ours get further.
bool has_number_second(std::string_view line) {
  const auto first = line.find_first_not_of(' ');
  const auto blank = first == std::string_view::npos ? first : line.find(' ', first);
  const auto second = blank == std::string_view::npos ? blank : line.find_first_not_of(' ', blank);
  return second != std::string_view::npos && line[second] >= '1' && line[second] <= '9';
}

Fit fit(std::string_view line, About&) {
  constexpr std::size_t kLongest = 500;
  if (line.size() > kLongest || line.empty()) return Fit::No;
  const bool device = names_device(line);
  if (!device && !has_number_second(line)) return Fit::No;
  const auto words = words_of(line);
  if (words.empty()) return Fit::No;
  if (device && (is_row_of_lsof(words) || line.starts_with(kDevice) || line.starts_with(kProc))) return Fit::Certain;
  if (device) return Fit::Possible;
  const std::size_t command = command_of_ps(words);
  if (command == 0) return Fit::No;
  const std::string_view program = program_of(words[command]);
  return is_rdma_program(program) || is_login_program(program) ? Fit::Certain : Fit::Possible;
}

/// fuser: "/dev/infiniband/uverbs0:  4711 4712m", with -v "/dev/infiniband/uverbs0: root 4711 F.... ib_write_bw".
bool take_fuser(const std::vector<std::string_view>& words, Draft& draft) {
  if (!words[0].starts_with(kDevice) || !words[0].ends_with(":")) return false;
  const bool wide = words.size() == 5 && pid_of(words[2]);
  if (wide) return tell_process(draft, *pid_of(words[2]), words[4], true), true;
  bool any = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto pid = pid_of(words[i].substr(0, words[i].find_last_of("0123456789") + 1));
    if (pid) tell_process(draft, *pid, "", true), any = true;
  }
  return any;
}

std::optional<std::uint64_t> pid_told(const Section& section, const std::vector<std::string_view>& words) {
  for (const std::string& word : section.words)
    if (const auto pid = pid_in_path(word)) return pid;
  return pid_in_path(words[0]);
}

bool take(const Section& section, const Line& line, Draft& draft) {
  const auto words = words_of(line.text);
  if (words.empty()) return true;
  if (!names_device(line.text)) {
    const std::size_t command = command_of_ps(words);
    if (command == 0) return false;
    const std::string_view program = program_of(words[command]);
    return tell_process(draft, *pid_of(words[1]), program, is_rdma_program(program)), true;
  }
  if (is_row_of_lsof(words)) return tell_process(draft, *pid_of(words[1]), words[0], true), true;
  if (take_fuser(words, draft)) return true;
  const auto pid = pid_told(section, words);
  if (pid) tell_process(draft, *pid, "", true);
  return pid.has_value();
}

void parse(const Section& section, Draft& draft) {
  for (const Line& line : section.lines)
    if (!take(section, line, draft)) draft.unread(section, line);
}

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// "4711" of "process 4711 of sent.txt".
std::optional<std::uint64_t> pid_of_unit(std::string_view unit) {
  if (!unit.starts_with(kOfSomebody)) return std::nullopt;
  unit.remove_prefix(std::string_view(kOfSomebody).size());
  return pid_of(unit.substr(0, unit.find(' ')));
}

/// The name of the file behind "process 4711 of ".
std::string_view file_of_unit(std::string_view unit) {
  const auto at = unit.find(" of ");
  return at == std::string_view::npos ? std::string_view() : unit.substr(at + 4);
}

/// Programs by PID; "" where a process uses RDMA and no output names its program.
using Programs = std::map<std::uint64_t, std::string>;

void name_owner(MemlockLimit& limit, const Programs& users, const Programs& logins) {
  const auto pid = pid_of_unit(limit.unit);
  if (!pid) return;
  const std::string file(file_of_unit(limit.unit));
  if (const auto user = users.find(*pid); user != users.end())
    limit.unit = kOfProcess + (user->second.empty() ? file : user->second) + " (pid " + std::to_string(*pid) + ")";
  else if (logins.contains(*pid))
    limit.unit = kOfShell + file;
}

bool is_of_somebody(const MemlockLimit& limit) {
  return limit.unit.starts_with(kOfSomebody);
}

}  // namespace

bool is_login_program(std::string_view program) {
  constexpr std::string_view kPrograms[] = {"sshd",           "bash", "sh",    "zsh",  "login", "systemd",
                                            "systemd-logind", "init", "crond", "cron", "-bash", "agetty"};
  return holds(kPrograms, program);
}

bool is_rdma_program(std::string_view program) {
  constexpr std::string_view kPrograms[] = {"rping",           "rdma_server",    "rdma_client",  "ucmatose",
                                            "udaddy",          "mckey",          "ucx_perftest", "qperf",
                                            "ibv_rc_pingpong", "ibv_ud_pingpong"};
  const bool perftest = program.starts_with("ib_") && (program.ends_with("_bw") || program.ends_with("_lat"));
  const bool nccl = program.ends_with("_perf") && program.size() > 5;  // all_reduce_perf
  return perftest || nccl || holds(kPrograms, program);
}

void tell_process(Draft& draft, std::uint64_t pid, std::string_view program, bool uses_rdma) {
  if (!uses_rdma && !is_login_program(program)) return;
  LogFact fact;
  fact.kind = uses_rdma ? kUser : kLogin;
  fact.subject = std::to_string(pid);
  if (!program.empty()) fact.says["program"] = program;
  draft.log(std::move(fact));
}

void settle_limits(Snapshot& snapshot) {
  constexpr std::ptrdiff_t kFew = 8;
  Programs users, logins;
  for (const LogFact& fact : snapshot.log) {
    if (fact.kind != kUser && fact.kind != kLogin) continue;
    std::string& program = (fact.kind == kUser ? users : logins)[parse_u64(fact.subject).value_or(0)];
    if (const auto said = fact.says.find("program"); said != fact.says.end()) program = said->second;
  }
  std::erase_if(snapshot.log, [](const LogFact& fact) { return fact.kind == kUser || fact.kind == kLogin; });
  if (!snapshot.host.memlock) return;
  std::vector<MemlockLimit>& limits = *snapshot.host.memlock;
  for (MemlockLimit& limit : limits) name_owner(limit, users, logins);
  const auto many = std::count_if(limits.begin(), limits.end(), is_of_somebody);
  if (many <= kFew) return;
  std::erase_if(limits, is_of_somebody);
  if (limits.empty())
    snapshot.host.memlock =
        Absent{Why::NotRecorded, "of " + std::to_string(many) + " processes no file says which of them uses RDMA, " +
                                     reason_with_command("rdma resource show qp")};
}

extern const Format kProcesses;
constinit const Format kProcesses{"processes", "lsof /dev/infiniband/uverbs*; ps -ef", false, made_by, fit, parse};

}  // namespace roceready::evidence

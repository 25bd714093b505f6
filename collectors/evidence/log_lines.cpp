// SPDX-License-Identifier: Apache-2.0
// Lines about RDMA in logs of the kernel, of NCCL, UCX, SPDK and other programs, in whatever frame a log has (dmesg,
// journal, syslog, a job's output). Nearly all lines of a log are none of ours, so a line is looked through once for
// the first four bytes of all patterns together.
#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/host_names.h"
#include "collectors/evidence/log_words.h"
#include "collectors/evidence/processes.h"
#include "collectors/evidence/wall_time.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

namespace roceready::evidence {
namespace {

/// A line that a pattern matched.
struct Match {
  std::string_view line;
  std::size_t at = 0;  ///< of the key
};

using Says = std::map<std::string, std::string>;

void say(Says& says, const char* name, std::optional<std::uint64_t> value) {
  if (value) says[name] = std::to_string(*value);
}
void say(Says& says, const char* name, std::string value) {
  if (!value.empty()) says[name] = std::move(value);
}

void plain(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
}

void of_function(const Match& match, LogFact& fact) {
  fact.subject = pci_in(match.line);
}

void gid_failure(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
  if (fact.subject.empty()) fact.subject = pci_in(match.line);
  say(fact.says, "gid_index", number_behind(match.line, "index="));
  say(fact.says, "syndrome", number_behind(match.line, "syndrome"));
  say(fact.says, "port", number_behind(match.line, "port="));
}

/// "Request device [3b:00.0] fault addr …", "mlx5_core 0000:c1:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=…",
/// "AMD-Vi: Event logged [IO_PAGE_FAULT device=c1:00.0 domain=…".
void iommu(const Match& match, LogFact& fact) {
  fact.subject = pci_in(match.line);
  if (!fact.subject.empty()) return;
  const auto address = pci_address(word_behind(match.line, "device="));
  if (address) fact.subject = *address;
}

/// "severity=Corrected", "AER: Uncorrectable (Non-Fatal) error message received from 0000:3b:00.0". The last address
/// is the function's; the first is the port's that told.
void aer(const Match& match, LogFact& fact) {
  const std::string_view rest = match.line.substr(match.at, 90);
  fact.subject = pci_in(match.line, true);
  const char* severity = "";
  if (rest.find("Non-Fatal") != std::string_view::npos || rest.find("NonFatal") != std::string_view::npos)
    severity = "nonfatal";
  else if (rest.find("Uncorrect") != std::string_view::npos || rest.find("Fatal") != std::string_view::npos)
    severity = "fatal";
  else if (rest.find("Correct") != std::string_view::npos)
    severity = "correctable";
  say(fact.says, "severity", std::string(severity));
  say(fact.says, "layer", word_behind(rest, "type="));
}

void slot_power(const Match& match, LogFact& fact) {
  fact.subject = pci_in(match.line);
  say(fact.says, "watts", number_behind(match.line, "slot ("));
}

void link_down(const Match& match, LogFact& fact) {
  std::size_t at = match.at;
  const auto nic = match.line.rfind("NIC ", at);
  if (nic != std::string_view::npos && nic + 4 == at) at = nic;
  fact.subject = netdev_before(match.line, at);
}

/// "ibv_create_cq(cqe=4096) failed: Cannot allocate memory : Please set max locked memory (ulimit -l) to 'unlimited'
/// (current: 64 kbytes)": the limit of the process where the line tells it.
void no_memory(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
  const auto limit = match.line.find("max locked memory");
  if (limit == std::string_view::npos || match.line.find(" kbytes", limit) == std::string_view::npos) return;
  say(fact.says, "limit_kibibytes", number_behind(match.line.substr(limit), "current: "));
}

/// "mlx5_core 0000:3b:00.0 ens1f0np0: renamed from eth0".
void renamed(const Match& match, LogFact& fact) {
  fact.subject = netdev_before(match.line, match.at);
  if (pci_in(match.line).empty()) fact.kind.clear();
}

/// "bond0: (slave eth0): link status definitely down, disabling slave"; older: "… down for interface eth0".
void bond_link_down(const Match& match, LogFact& fact) {
  fact.subject = word_behind(match.line, "(slave ");
  if (fact.subject.empty()) fact.subject = word_behind(match.line, "interface ");
  if (fact.subject.ends_with(":")) fact.subject.pop_back();
}

/// "Port module event[error]: module 0, Cable error, Bus stuck(I2C or data shorted)".
void module_event(const Match& match, LogFact& fact) {
  fact.subject = pci_in(match.line);
  const auto comma = match.line.find(", ", match.at);
  if (comma != std::string_view::npos) fact.says["event"] = std::string(trim(match.line.substr(comma + 2, 100)));
}

/// "status=12", "error 12", "status: (12)", "WC error: 4": the kind is the status's.
void completion(const Match& match, LogFact& fact) {
  const std::string_view rest = match.line.substr(match.at);
  fact.subject = device_in(match.line);
  std::optional<std::uint64_t> status;
  for (const char* name : {"status=", "with error ", "error: ", "error=", "Failed status ", "status: "}) {
    if (!status) status = number_behind(rest, name);
  }
  const auto open = rest.find('(');
  if (!status && open != std::string_view::npos) status = number_behind(rest.substr(open), "(");
  fact.kind = status ? kind_of_status(*status) : "";
  if (fact.kind.empty()) return;
  say(fact.says, "status", status);
  for (const char* name : {"vendor err", "vendor_err", "syndrom"})
    if (!fact.says.contains("vendor_error")) say(fact.says, "vendor_error", number_behind(rest, name));
  say(fact.says, "gid", word_behind(rest, "localGid "));
  for (const char* name : {"remoteGid ", "remoteGids"})  // NCCL writes no blank behind the second
    if (!fact.says.contains("peer_gid")) say(fact.says, "peer_gid", word_behind(rest, name));
}

void async_event(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
  const std::string_view rest = match.line.substr(match.at);
  const auto colon = rest.find(':');
  if (colon != std::string_view::npos) fact.says["event"] = std::string(trim(rest.substr(colon + 1, 80)));
}

void event_name(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
  const std::string_view rest = match.line.substr(match.at);
  fact.says["event"] = std::string(rest.substr(0, rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_")));
}

void ucx_retry(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line.substr(match.at));
  say(fact.says, "syndrome", number_behind(match.line, "synd "));
  say(fact.says, "vendor_error", number_behind(match.line, "vend "));
}

/// "[sgix 3 dgid ::ffff:192.0.2.46 tc 106]", "dgid=… sgid_index=3 traffic_class=106".
void gid_choice(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
  for (const char* name : {"sgix ", "sgid_index=", "GID index"})
    if (!fact.says.contains("gid_index")) say(fact.says, "gid_index", number_behind(match.line, name));
  for (const char* name : {" tc ", "traffic_class="})
    if (!fact.says.contains("traffic_class")) say(fact.says, "traffic_class", number_behind(match.line, name));
  say(fact.says, "gid", word_behind(match.line, "dgid"));
}

void modify_qp(const Match& match, LogFact& fact) {
  fact.subject = device_in(match.line);
  say(fact.says, "gid_index", number_behind(match.line, "local GID index"));
  const auto index = match.line.find("local GID index");
  say(fact.says, "gid", word_behind(match.line.substr(index == std::string_view::npos ? 0 : index + 15), "local GID "));
  // "failed with error Connection timed out, on dev …", "failed with 110 Connection timed out, on dev …"
  for (const std::string_view name : {"failed with error ", "failed with "}) {
    const auto error = match.line.find(name, match.at);
    if (error == std::string_view::npos || fact.says.contains("error")) continue;
    std::string_view rest = match.line.substr(error + name.size(), 60);
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789 "), rest.size()));
    say(fact.says, "error", std::string(rest.substr(0, rest.find(','))));
  }
}

/// "NCCL_IB_TC set by environment to 106."
void environment(const Match& match, LogFact& fact) {
  const auto words = words_of(match.line.substr(0, match.at));
  const std::string_view name = words.empty() ? std::string_view() : words.back();
  std::string value = word_behind(match.line.substr(match.at), "environment to ");
  if (value.ends_with(".")) value.pop_back();
  if (!name.starts_with("NCCL_") && !name.starts_with("UCX_")) return fact.kind.clear();
  fact.says = {{"name", std::string(name)}, {"value", value}};
}

void devices_in_use(const Match& match, LogFact& fact) {
  fact.says = {{"name", "NET/IB devices"}, {"value", std::string(trim(match.line.substr(match.at + 15, 200)))}};
}

/// "nfs: server 192.0.2.30 not responding, still trying", "nfs: server 192.0.2.30 OK".
void nfs(const Match& match, LogFact& fact) {
  say(fact.says, "server", word_behind(match.line.substr(match.at), "nfs: server "));
}

/// Lines that explain others and are no facts by themselves.
constexpr const char *kLinkUp = "link_came_up", *kRenamed = "netdev_renamed", *kDriverLoaded = "driver_loaded",
                     *kNfsOk = "nfs_responds";

/// A piece of text that makes a line one of ours. `key` has at least four bytes; `also` must stand in the line, too.
struct Pattern {
  std::string_view key, also;
  const char* kind;
  void (*read)(const Match& match, LogFact& fact);
};
constexpr Pattern kPatterns[] = {
    {"GID add failed", "", "gid_add_failed", gid_failure},
    {"unable to add gid", "", "gid_add_failed", gid_failure},
    {"SET_ROCE_ADDRESS", "failed", "gid_add_failed", gid_failure},
    {"IO_PAGE_FAULT", "", "iommu_fault", iommu},
    {"DMAR: [", "fault", "iommu_fault", iommu},
    {"PCIe Bus Error: severity=", "", "aer_error", aer},
    {"AER: Corrected", "", "aer_error", aer},
    {"AER: Correctable", "", "aer_error", aer},
    {"AER: Multiple", "", "aer_error", aer},
    {"AER: Uncorrect", "", "aer_error", aer},
    {"WC error", "", "completion_error", completion},
    {"failed with status ", "(", "completion_error", completion},
    {"insufficient power on the PCIe slot", "", "slot_power", slot_power},
    {"link status definitely down", "", "link_went_down", bond_link_down},
    {"Link is Down", "", "link_went_down", link_down},
    {"Link is down", "", "link_went_down", link_down},
    {"Link down", "", "link_went_down", link_down},
    {"link down", "hns3 ", "link_went_down", link_down},
    {"Link Down", "mlx4_en", "link_went_down", link_down},
    {"Link is Up", "", kLinkUp, link_down},
    {"Link is up", "", kLinkUp, link_down},
    {"Link up", "", kLinkUp, link_down},
    {"link up", "hns3 ", kLinkUp, link_down},
    {"Link Up", "mlx4_en", kLinkUp, link_down},
    {"renamed from ", "", kRenamed, renamed},
    {"firmware version:", "mlx5_core", kDriverLoaded, of_function},
    {"found at mem ", "bnxt_en", kDriverLoaded, of_function},
    {"The DDP package was ", "ice ", kDriverLoaded, of_function},
    {"Port module event", "", "cable_event", module_event},
    {"health compromised", "", "device_error", of_function},
    {"Health issue observed", "", "device_error", of_function},
    {"firmware internal error", "", "device_error", of_function},
    {"Will cause a leak of a command resource", "", "device_error", of_function},
    {"Firmware non-responsive", "bnxt", "device_error", of_function},
    {"RESET_NOTIFY", "bnxt", "device_error", of_function},
    {"Firmware fatal reset", "bnxt", "device_error", of_function},
    {"Firmware non-fatal reset", "bnxt", "device_error", of_function},
    {"HMC Error", "irdma", "device_error", plain},
    {"abnormal ae_id", "irdma", "device_error", plain},
    {"Got completion", "", "completion_error", completion},
    {"ompletion with error", "", "completion_error", completion},
    {"Failed status ", "wr_id", "completion_error", completion},
    {"Got async", "event", "async_event", async_event},
    {"Got non-fatal async event", "", "async_event", async_event},
    {"async fatal event", "NET/IB", "async_event", async_event},
    {"ransport retry count exceeded", "", "retry_exceeded", ucx_retry},
    {"eceiver-not-ready retry count exceeded", "", "rnr_retry_exceeded", ucx_retry},
    {"RNR retry count exceeded", "", "rnr_retry_exceeded", ucx_retry},
    {"transport retry counter exceeded", "", "retry_exceeded", plain},
    {"RNR retry counter exceeded", "", "rnr_retry_exceeded", plain},
    {"remote access error", "", "remote_access_error", plain},
    {"local protection error", "", "local_protection_error", plain},
    {"Work Request Flushed", "", "flush_error", plain},
    {"ibv_modify_qp failed", "", "modify_qp_failed", modify_qp},
    {"Cannot allocate memory", "ibv_reg_mr", "memory_not_registered", no_memory},
    {"Please set max locked memory", "", "memory_not_registered", no_memory},
    {"[sgix ", "", "gid_choice", gid_choice},
    {"sgid_index=", "dgid", "gid_choice", gid_choice},
    {"set by environment to", "", "environment", environment},
    {"NET/IB : Using ", "", "environment", devices_in_use},
    {"nfs: server ", " not responding", "nfs_not_responding", nfs},
    {"nfs: server ", " OK", kNfsOk, nfs},
    {"IBV_EVENT_", "", "async_event", event_name},
    {"RDMA_CM_EVENT_DEVICE_REMOVAL", "", "async_event", event_name},
};

constexpr std::size_t kHead = 4;  ///< bytes of a key that are looked for first

std::uint32_t head_of(const char* bytes) {
  std::uint32_t out = 0;
  std::memcpy(&out, bytes, kHead);
  return out * 2654435761U >> 16U;
}

std::bitset<65536> make_heads() {
  std::bitset<65536> out;
  for (const Pattern& pattern : kPatterns) out.set(head_of(pattern.key.data()));
  return out;
}

/// The first pattern, in the line's order and then the table's, that a line holds.
const Pattern* find_pattern(std::string_view line, Match& match) {
  static const std::bitset<65536> kHeads = make_heads();
  for (std::size_t at = 0; at + kHead <= line.size(); ++at) {
    if (!kHeads[head_of(line.data() + at)]) continue;
    for (const Pattern& pattern : kPatterns) {
      if (line.compare(at, pattern.key.size(), pattern.key) != 0) continue;
      if (!pattern.also.empty() && line.find(pattern.also) == std::string_view::npos) continue;
      match = {line, at};
      return &pattern;
    }
  }
  return nullptr;
}

bool made_by(std::span<const std::string> words, About&) {
  return words[0] == "dmesg" || words[0] == "journalctl";
}

Fit fit(std::string_view line, About&) {
  Match match;
  return find_pattern(line, match) != nullptr ? Fit::Certain : Fit::No;
}

/// A line that was understood, with what the kernel says in front of its own: "[   20.000000] mlx5_core 0000:3b:00.0
/// …".
struct Said {
  LogFact fact;
  std::string function;                ///< PCI address within the line; "" for none
  std::optional<double> since_boot_s;  ///< nothing where the stamp is a date
  std::optional<double> time_s;        ///< by either, from a zero of the log's own
};

bool is(const LogFact& fact, std::string_view kind) {
  return fact.kind == kind;
}

bool event_holds(const LogFact& fact, std::string_view word) {
  const auto at = fact.says.find("event");
  return is(fact, "cable_event") && at != fact.says.end() && at->second.find(word) != std::string::npos;
}

std::optional<double> seconds_since_boot(std::string_view line) {
  if (!line.starts_with("[")) return std::nullopt;
  return parse_double(trim(line.substr(1, std::min(line.find(']'), line.size()) - 1)));
}

/// By the stamp in brackets: seconds since boot, or `dmesg -T`'s date, whose zone is not told.
std::optional<double> time_of(std::string_view line) {
  if (const auto since_boot = seconds_since_boot(line)) return since_boot;
  const auto end = line.find(']');
  if (!line.starts_with("[") || end == std::string_view::npos) return std::nullopt;
  const auto wall = wall_time_line(line.substr(1, end - 1));
  return wall ? std::optional(static_cast<double>(wall->ns) * 1e-9) : std::nullopt;
}

/// What the lines of one log tell of links together. While a driver starts, links are down and cages empty before the
/// first one comes up: that is no lost link. Where none came up, `never_up` says so.
class LinkHistory {
 public:
  explicit LinkHistory(std::vector<Said>& said) : said_(said) {}

  void settle() {
    find_netdevs();
    find_ups();
    std::set<std::string> young;  // functions whose driver was loaded and whose link has not come up since
    for (std::size_t i = 0; i < said_.size(); ++i) {
      Said& one = said_[i];
      if (is(one.fact, kDriverLoaded) && !one.function.empty()) young.insert(one.function);
      if (is_up(one)) young.erase(one.function);
      if (!is(one.fact, "link_went_down") && !event_holds(one.fact, "unplugged")) continue;
      const bool booting = one.since_boot_s && *one.since_boot_s < kBootSeconds;
      if (!booting && !young.contains(one.function)) continue;
      if (comes_up_[i])
        one.fact.kind.clear();
      else if (!was_up_[i])
        one.fact.says["never_up"] = "yes";
    }
  }

 private:
  static constexpr double kBootSeconds = 300;

  static bool is_up(const Said& one) { return is(one.fact, kLinkUp) || event_holds(one.fact, "Cable plugged"); }

  /// A function's events name no netdev: other lines of the same driver do, the last of them by its present name.
  void find_netdevs() {
    std::map<std::string, std::string> netdevs;
    for (const Said& one : said_) {
      if (one.function.empty() || one.fact.subject.empty()) continue;
      if (is(one.fact, "link_went_down") || is(one.fact, kLinkUp) || is(one.fact, kRenamed))
        netdevs[one.function] = one.fact.subject;
    }
    for (Said& one : said_) {
      const auto at = netdevs.find(one.function);
      if (at != netdevs.end() && (is(one.fact, "cable_event") || is(one.fact, "device_error")))
        one.fact.says["netdev"] = at->second;
    }
  }

  /// Whether the link of a line came up before it and, soon enough to be part of the same start, behind it.
  void find_ups() {
    was_up_.assign(said_.size(), false);
    comes_up_.assign(said_.size(), false);
    std::set<std::string> up;
    for (std::size_t i = 0; i < said_.size(); ++i) {
      was_up_[i] = up.contains(owner_of(said_[i]));
      if (is_up(said_[i])) up.insert(owner_of(said_[i]));
      if (is(said_[i].fact, kDriverLoaded)) up.erase(said_[i].function);
    }
    std::map<std::string, std::optional<double>> next;
    for (std::size_t i = said_.size(); i-- > 0;) {
      const auto at = next.find(owner_of(said_[i]));
      const double limit = 2 * kBootSeconds;
      comes_up_[i] = at != next.end() && (!at->second || *at->second < limit || !said_[i].since_boot_s);
      if (is_up(said_[i])) next[owner_of(said_[i])] = said_[i].since_boot_s;
    }
  }

  static const std::string& owner_of(const Said& one) { return one.function.empty() ? one.fact.subject : one.function; }

  std::vector<Said>& said_;
  std::vector<bool> was_up_, comes_up_;
};

/// PID of the process that speaks of RDMA as its own transport; nothing for any other line.
std::optional<std::uint64_t> user_of_rdma(std::string_view line) {
  const bool transport = line.find("NET/IB") != std::string_view::npos || line.find("UCX") != std::string_view::npos;
  return transport ? pid_of_job(line) : std::nullopt;
}

/// A process that says how much memory it may lock; it uses RDMA.
void keep_limit(const Said& said, const Section& section, std::string_view line, Draft& draft) {
  constexpr std::uint64_t kKibi = 1024;
  const auto at = said.fact.says.find("limit_kibibytes");
  const auto limit = at == said.fact.says.end() ? std::nullopt : parse_u64(at->second);
  if (!limit || *limit > UINT64_MAX / kKibi) return;
  const auto pid = pid_of_job(line);
  Reading<std::vector<MemlockLimit>>& list = draft.host().memlock;
  if (!list) list = std::vector<MemlockLimit>();
  const std::string unit = kOfProcess + section.file + (pid ? " (pid " + std::to_string(*pid) + ")" : "");
  const bool told = std::any_of(list->begin(), list->end(), [&](const MemlockLimit& one) { return one.unit == unit; });
  if (!told && list->size() < Draft::kMostOwners) list->push_back({unit, *limit * kKibi, said.fact.place});
}

/// How long a server did not respond: to the line by which it does again, where the log's times tell it.
void time_stalls(std::vector<Said>& said) {
  constexpr double kDay = 86400;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!is(said[i].fact, "nfs_not_responding")) continue;
    const auto again = std::find_if(said.begin() + static_cast<std::ptrdiff_t>(i), said.end(), [&](const Said& other) {
      return is(other.fact, kNfsOk) && other.fact.says == said[i].fact.says;
    });
    if (again == said.end() || !again->time_s || !said[i].time_s) continue;
    const double seconds = *again->time_s - *said[i].time_s;
    if (seconds >= 0 && seconds <= kDay) said[i].fact.says["seconds"] = std::to_string(std::llround(seconds));
  }
}

void parse(const Section& section, Draft& draft) {
  constexpr std::size_t kLongestText = 300;
  std::vector<Said> said;
  for (const Line& line : section.lines) {
    Match match;
    const Pattern* pattern = find_pattern(line.text, match);
    if (pattern == nullptr) {
      if (!trim(line.text).empty()) draft.unread(section, line);
      continue;
    }
    Said one;
    one.fact.kind = pattern->kind;
    one.fact.text = std::string(trim(line.text).substr(0, kLongestText));
    one.fact.place = place_text(section, line.number);
    pattern->read(match, one.fact);
    if (one.fact.kind.empty()) {
      draft.unread(section, line);
      continue;
    }
    if (const auto pid = user_of_rdma(line.text)) tell_process(draft, *pid, "", true);
    keep_limit(one, section, line.text, draft);
    one.function = pci_in(line.text);
    one.since_boot_s = seconds_since_boot(trim(line.text));
    one.time_s = time_of(trim(line.text));
    said.push_back(std::move(one));
  }
  LinkHistory(said).settle();
  time_stalls(said);
  for (Said& one : said) {
    const bool explains =
        is(one.fact, kLinkUp) || is(one.fact, kRenamed) || is(one.fact, kDriverLoaded) || is(one.fact, kNfsOk);
    if (!one.fact.kind.empty() && !explains) draft.log(std::move(one.fact));
  }
}

}  // namespace

extern const Format kLogLines;
constinit const Format kLogLines{"logs", "dmesg -T", false, made_by, fit, parse};

}  // namespace roceready::evidence

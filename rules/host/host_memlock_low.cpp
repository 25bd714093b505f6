// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMebibyte = 1024 * 1024;

/// This program's own unit, which the collector names only while it probes. It needs little.
constexpr const char* kOwnUnit = "roceready.service";

/// A process that uses RDMA, by the command or the files that somebody sent.
bool is_of_a_file(const std::string& unit) {
  return unit.starts_with("the process of ");
}

/// A process whose limits somebody sent, and no file says what it is: "process 4711 of sent.txt", "process of
/// sent.txt".
bool is_of_nobody(const std::string& unit) {
  return unit.starts_with("process ");
}

/// `ulimit` that somebody sent: programs that are started from that shell inherit it, units and containers do not.
bool is_of_a_shell(const std::string& unit) {
  return unit.starts_with("the shell of ");
}

/// "slurmd.service" is the configured unit "slurmd".
bool runs_rdma(const Evidence& seen, const std::string& unit) {
  const std::vector<std::string>& units = seen.rdma_units();
  return unit == kOwnUnit || is_of_a_file(unit) || units.empty() ||
         std::any_of(units.begin(), units.end(),
                     [&](const std::string& name) { return unit == name || unit == name + ".service"; });
}

/// Pods inherit their limit from the container runtime, not from the kubelet.
bool passes_limit_on(const std::string& unit) {
  return unit != kOwnUnit && unit != "kubelet" && unit != "kubelet.service";
}

std::string mebibytes(std::uint64_t bytes) {
  return short_number(static_cast<double>(bytes) / kMebibyte) + " MiB";
}

/// Limits of processes that nobody calls RDMA programs. That they were sent makes it likely, and no more than that.
struct Nobodys {
  std::vector<std::string> low;
  std::vector<EvidenceItem> evidence;
  const MemlockLimit* any = nullptr;
  const MemlockLimit* unread = nullptr;

  void take(const Evidence& seen, const MemlockLimit& limit) {
    if (any == nullptr) any = &limit;
    if (!limit.bytes) {
      unread = &limit;
      return;
    }
    const double least = seen.limit("warn_bytes");
    if (static_cast<double>(*limit.bytes) >= least) return;
    low.push_back(limit.unit + " (" + mebibytes(*limit.bytes) + ")");
    evidence.push_back(seen.item("memory that " + limit.unit + " may lock", static_cast<double>(*limit.bytes), "bytes",
                                 "<", least, limit.source));
  }

  void judge(const Evidence& seen, Outcomes& out) {
    constexpr double kLikely = 0.5;
    if (low.empty()) return unread != nullptr ? out.unknown(unread->bytes.absent()) : out.pass();
    Judgement& said = out.fail(
        Severity::Warning,
        "Too little memory for RDMA may be locked by " + joined(low) +
            ", taken for an RDMA program because its limits were sent: no file says what it is (`rdma resource show "
            "qp` does).",
        std::move(evidence));
    said.confidence = kLikely;
    said.derived_threshold = seen.limit_is_derived("warn_bytes");
  }
};

void judge_shell(const Evidence& seen, const MemlockLimit& shell, Outcomes& out) {
  if (!shell.bytes) return out.unknown(shell.bytes.absent());
  const double least = seen.limit("warn_bytes");
  if (static_cast<double>(*shell.bytes) >= least)
    return out.unknown({Why::NotRecorded,
                        "a shell's limit is no unit's; of a program that uses RDMA no file says it: `cat "
                        "/proc/PID/limits` does"});
  out.fail(Severity::Warning,
           "A program that is started from this shell may lock " + mebibytes(*shell.bytes) +
               ", too little for RDMA; units and containers have limits of their own.",
           {seen.item("memory that a shell may lock", static_cast<double>(*shell.bytes), "bytes", "<", least,
                      shell.source)})
      .derived_threshold = seen.limit_is_derived("warn_bytes");
}

/// Where no file tells a limit, programs that could not register memory make a low one likely.
void judge_logs(const Evidence& seen, Outcomes& out) {
  const LogEntries entries = log_entries(seen, {"memory_not_registered"});
  if (entries.empty()) return out.unknown(seen.now().host.memlock.absent());
  out.fail(Severity::Warning,
           "A program could not register memory" + on_subjects(entries) +
               ": a low limit of locked memory is the usual cause, and no file tells the limit (`cat "
               "/proc/PID/limits` does).",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

void judge(const Evidence& seen, Outcomes& out) {
  const HostFacts& host = seen.now().host;
  if (!host.memlock) return judge_logs(seen, out);

  std::vector<EvidenceItem> evidence;
  std::vector<std::string> low;
  std::uint64_t least = UINT64_MAX;  // of units whose limit their programs inherit
  std::string source;
  const Reading<std::uint64_t>* unread = nullptr;
  const MemlockLimit* shell = nullptr;
  Nobodys nobodys;
  bool any_unit = false;
  for (const MemlockLimit& unit : *host.memlock) {
    if (is_of_a_shell(unit.unit)) {
      if (shell == nullptr || unit.bytes.value_or(UINT64_MAX) < shell->bytes.value_or(UINT64_MAX)) shell = &unit;
      continue;
    }
    if (is_of_nobody(unit.unit)) {
      nobodys.take(seen, unit);
      continue;
    }
    if (!runs_rdma(seen, unit.unit)) continue;
    any_unit = true;
    if (!unit.bytes) {
      unread = &unit.bytes;
      continue;
    }
    if (passes_limit_on(unit.unit)) least = std::min(least, *unit.bytes);
    const double least_bytes = unit.unit == kOwnUnit ? seen.limit("own_bytes") : seen.limit("warn_bytes");
    if (static_cast<double>(*unit.bytes) >= least_bytes) continue;
    low.push_back(unit.unit + " (" + mebibytes(*unit.bytes) + ")");
    evidence.push_back(seen.item("memory that " + unit.unit + " may lock", static_cast<double>(*unit.bytes), "bytes",
                                 "<", least_bytes, unit.source));
  }
  if (!low.empty()) {
    const bool processes = std::all_of(low.begin(), low.end(), is_of_a_file);
    const bool critical = static_cast<double>(least) < seen.limit("crit_bytes");
    out.fail(critical ? Severity::Critical : Severity::Warning,
             (processes ? "Too little memory for RDMA may be locked by " + joined(low) + "."
                        : "Programs started by " + joined(low) + " may lock too little memory for RDMA."),
             std::move(evidence))
        .derived_threshold = seen.limit_is_derived(critical ? "crit_bytes" : "warn_bytes");
    return;
  }
  if (unread != nullptr) return out.unknown(unread->absent());
  if (any_unit) return out.pass();
  if (nobodys.any != nullptr) return nobodys.judge(seen, out);
  if (shell != nullptr) return judge_shell(seen, *shell, out);

  // No unit that runs RDMA programs: the default of the system says what a login would get, no more than that.
  const Reading<std::uint64_t>& system = host.default_memlock_bytes;
  if (!system) return out.unknown(system.absent());
  if (static_cast<double>(*system) >= seen.limit("warn_bytes")) return out.pass();
  out.fail(
      Severity::Info,
      "By default a program may lock " + mebibytes(*system) + "; none of the units that run RDMA programs is here.",
      {seen.item("memory that a program may lock by default", static_cast<double>(*system), "bytes", "<",
                 seen.limit("warn_bytes"), "systemd DefaultLimitMEMLOCK")});
}

}  // namespace

extern const Rule kHostMemlockLow;
constinit const Rule kHostMemlockLow{
    .id = "host-memlock-low",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Programs may lock too little memory for RDMA",
    .what =
        "Reads the locked-memory limit of the systemd units in host.rdma_units that exist here. Warning below 1 GiB, "
        "critical below 64 MiB; the kubelet's is a warning at most, and the default of the system alone is info. While "
        "this program probes, its own limit is judged too: a warning below 16 MiB.",
    .why = "Registering memory fails with \"Cannot allocate memory\", or programs fall back to copies.",
    .next = "Set LimitMEMLOCK=infinity for the unit that starts the jobs, and restart it.",
    .likely_causes = {"the unit does not set LimitMEMLOCK", "a drop-in sets it too low"},
    .fix = {Recipe::Memlock},
    .traps =
        {"Containers inherit their limit from the container runtime: the kubelet's own is a warning at most.",
         "Containers and batch systems can set other limits for their jobs.",
         "A program with CAP_IPC_LOCK has no limit.",
         "Limits of logins (limits.conf) do not hold for units: `ulimit` among given files is a warning at most, and "
         "a high one proves nothing.",
         "Limits of a PID that no file calls an RDMA program are a warning at most: it may be any process's.",
         "Memory that a log among given files says was not registered is a warning where no limit is told: too few "
         "resources of the NIC look alike."},
    .limits = {Limit{.name = "warn_bytes",
                     .value = 1073741824,
                     .unit = "bytes",
                     .min = 0,
                     .max = 1e15,
                     .evidence = 'D',
                     .help = "a unit that may lock less than this is a warning"},
               Limit{.name = "own_bytes",
                     .value = 16777216,
                     .unit = "bytes",
                     .min = 0,
                     .max = 1e15,
                     .evidence = 'D',
                     .help = "roceready.service, which probes, that may lock less than this is a warning"},
               Limit{.name = "crit_bytes",
                     .value = 67108864,
                     .unit = "bytes",
                     .min = 0,
                     .max = 1e15,
                     .evidence = 'D',
                     .help = "a unit that may lock less than this is critical"}},
    .facts = {"systemd-memlock", "irdma-memlock"},
    .judge = judge,
};

}  // namespace roceready::rules

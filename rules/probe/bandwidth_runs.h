// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

// What a person measured of a port by filling its line.

inline constexpr double kBusyShare = 0.05;    ///< of the line rate carried for others: the line is not ours alone
inline constexpr double kWaitedShare = 0.02;  ///< of the time without a CPU: the host, not the line, set the pace

/// The newest run to each peer's port, or the newest loopback (under ""). Empty: nothing was measured, and that was
/// noted.
[[nodiscard]] inline std::vector<const BandwidthRun*> newest_runs(const Evidence& seen, Outcomes& out, bool loopback) {
  std::map<std::pair<std::string, std::string>, const BandwidthRun*> newest;
  if (seen.now().probes)
    for (const BandwidthRun& run : seen.now().probes->bandwidth) {
      if (run.device != seen.port().device || run.port != seen.port().port || run.loopback != loopback) continue;
      newest[{run.peer, run.peer_device + "/" + std::to_string(run.peer_port)}] = &run;
    }
  std::vector<const BandwidthRun*> runs;
  for (const auto& [end, run] : newest) runs.push_back(run);
  if (runs.empty())
    out.not_looked_at(
        "on_demand", "measured on demand, and nobody has",
        loopback ? "roceready probe --kind loopback, while no job runs" : "roceready probe --kind bandwidth PEER");
  return runs;
}

/// Whether nobody set another limit of this rule.
[[nodiscard]] inline bool limits_are_defaults(const Evidence& seen) {
  for (const Limit& limit : seen.rule().limits)
    if (seen.limit(limit.name) < limit.value || seen.limit(limit.name) > limit.value) return false;
  return true;
}

/// The speed that is told of the port is no line: what it carries is no fault of it.
[[nodiscard]] inline std::optional<std::string> why_no_line(const Evidence& seen) {
  if (seen.port().function == FunctionKind::Software)
    return "software RDMA: it carries what the host's CPUs can, not what its link says";
  if (seen.now().host.virtual_machine.value_or(false))
    return "a virtual machine: what it gets of the line is the hypervisor's to say";
  return std::nullopt;
}

/// Why a low value is no fault of the line or the slot: this host, or others' traffic on this port. `line`: bits/s.
[[nodiscard]] inline std::optional<Absent> why_own_end_explains(const BandwidthRun& run, double line) {
  if (run.waited_seconds > kWaitedShare * run.seconds)
    return Absent{Why::NotPresent, "the measuring thread got no CPU for a part of the time, so this host set the pace"};
  if (!run.other_bits_per_second)
    return Absent{Why::NotPresent,
                  "whether the port carried other traffic is not known: " + run.other_bits_per_second.absent().detail};
  if (*run.other_bits_per_second >= kBusyShare * line)
    return Absent{Why::NotPresent,
                  "the port carried other traffic when the measurement began; measure while it is idle"};
  return std::nullopt;
}

}  // namespace roceready::rules

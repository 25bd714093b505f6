// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/probe/measured.h"
#include "rules/rule.h"

namespace roceready::rules {

// What a person measured of a port by filling its line.

inline constexpr double kBusyShare = 0.05;    ///< of the line rate carried for others: the line is not ours alone
inline constexpr double kWaitedShare = 0.02;  ///< of the time without a CPU: the host, not the line, set the pace

/// The newest run to each peer, or the newest loopback. Empty: nothing was measured, and that was
/// noted.
[[nodiscard]] inline std::vector<const BandwidthRun*> newest_runs(const Evidence& seen, Outcomes& out, bool loopback) {
  std::map<std::string, const BandwidthRun*> newest;  // by peer, "" for the loopback
  if (seen.now().probes)
    for (const BandwidthRun& run : seen.now().probes->bandwidth) {
      if (run.device != seen.port().device || run.port != seen.port().port || run.loopback != loopback) continue;
      newest[run.peer] = &run;
    }
  std::vector<const BandwidthRun*> runs;
  for (const auto& [peer, run] : newest) runs.push_back(run);
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

/// Line rate that connections of this port get, bits/s, never 0: of a bond that spreads them, that of one of its ports.
[[nodiscard]] inline Reading<double> line_of(const Evidence& seen) {
  const Reading<std::uint64_t> speed = speed_of(seen.now(), seen.port());
  if (!speed) return speed.absent();
  if (*speed == 0) return Absent{Why::NotPresent, "the link tells a speed of 0"};
  return static_cast<double>(*speed) / static_cast<double>(spread_over(seen.now(), seen.port()));
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

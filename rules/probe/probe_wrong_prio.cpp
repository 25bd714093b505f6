// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/port_probes.h"
#include "rules/port_traffic.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint8_t kPriorities = 8;
/// The least that a probe has on the wire, without Ethernet: IPv4, UDP, BTH, DETH, 64 bytes of payload, ICRC.
constexpr double kProbeBytes = 20 + 8 + 12 + 8 + 64 + 4;
constexpr double kWindowSeconds = 60;  // holds the time that the count of probes is about, however old that is

const ProbeArrivals* arrivals_of(const Evidence& seen) {
  for (const ProbeArrivals& one : seen.now().probes->arrivals)
    if (one.device == seen.port().device && one.port == seen.port().port) return &one;
  return nullptr;
}

/// Another priority that grew by at least so many bytes, the one that grew most.
std::optional<std::uint8_t> took_them(const Evidence& seen, std::uint8_t roce, double bytes) {
  std::optional<std::uint8_t> out;
  double most = 0;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if (priority == roce) continue;
    const auto grew = port_increase(seen, CounterId::RxBytesPriority, kWindowSeconds, priority);
    if (!grew || grew->amount < bytes || grew->amount <= most) continue;
    most = grew->amount;
    out = priority;
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (probes_are_off(seen.now()))
    return out.not_looked_at("not_configured", "RDMA probes are off",
                             "probes.peers in the configuration; the daemon probes");
  if (!seen.now().probes) return out.unknown(seen.now().probes.absent());
  if (const auto blocked = why_blocked(seen)) return out.unknown(*blocked);
  const std::uint8_t roce = seen.profile()->roce_priority;
  const std::string dscp = std::to_string(seen.profile()->roce_dscp);
  const ProbeArrivals* const arrived = arrivals_of(seen);
  if (arrived == nullptr)
    return out.not_looked_at("not_configured", "no peer probes " + port_name(seen),
                             "this node in probes.peers of its peers, with the same secret");
  const auto found = arrived->packets.find(dscp);
  const double packets = found == arrived->packets.end() ? 0 : static_cast<double>(found->second);
  if (packets < seen.limit("min_packets")) {
    if (packets < 1 && arrived->unseen > 0 && arrived->packets.empty())
      return out.not_looked_at("never_shown", "the NIC does not show the header of received probes", "");
    return out.not_looked_at("longer_window",
                             "only " + counted(packets, "probe") + " arrived with DSCP " + dscp + " in the last " +
                                 duration_text(arrived->seconds),
                             "wait; peers go on probing");
  }
  const auto right = port_increase(seen, CounterId::RxBytesPriority, kWindowSeconds, roce);
  if (!right) return cannot_read(out, right.absent(), "the bytes of each priority");
  if (right->seconds < arrived->seconds)
    return out.not_looked_at("longer_window", "the counters were not yet seen for as long as the probes",
                             "wait; the daemon goes on sampling");
  const double bytes = packets * kProbeBytes;
  if (right->amount >= seen.limit("seen_share") * bytes) return out.pass(roce);
  const auto other = took_them(seen, roce, bytes);
  if (!other)
    return out.unknown({Why::NotPresent, "no priority counted the " + counted(packets, "probe") + " that arrived"});
  out.fail(Severity::Critical,
           counted(packets, "probe") + " arrived at " + port_name(seen) + " with DSCP " + dscp + " in " +
               duration_text(arrived->seconds) + ", but priority " + std::to_string(roce) + " received " +
               counted(right->amount, "byte") + " in " + duration_text(right->seconds) + ": they were put into " +
               "priority " + std::to_string(*other) + ".",
           {seen.item("bytes received on priority " + std::to_string(roce), right->amount, "bytes", "<",
                      seen.limit("seen_share") * bytes, seen.source_of(CounterId::RxBytesPriority))},
           roce)
      .derived_threshold = true;
}

}  // namespace

extern const Rule kProbeWrongPrio;
constinit const Rule kProbeWrongPrio{
    .id = "probe-wrong-prio",
    .family = "probe",
    .action = Action::FixConfig,
    .severities = {Severity::Critical},
    .judged = kProbe,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Port,
    .title = "Probe traffic arrives on another priority",
    .what =
        "Compares the probes of peers that arrived with the RoCE DSCP with what the NIC counted meanwhile on each "
        "priority. Critical when the RoCE priority received less than half of their bytes, and another one at least "
        "all of them.",
    .why = "The receiver puts RoCE into a class that is not lossless.",
    .next = "Compare trust and DSCP map of the receiver, then the DSCP that arrives (probe-dscp-rewritten).",
    .likely_causes = {"receiver trusts PCP", "wrong DSCP map at the receiver", "DSCP rewritten on the path"},
    .fix = {Recipe::Trust, Recipe::DscpMap, Recipe::Switch},
    .traps = {"Where other traffic of the RoCE priority runs, it hides probes that are put elsewhere: "
              "qos-rdma-on-wrong-prio sees those.",
              "Judged at the receiver: of this node, not of its peers."},
    .needs = {CounterId::RxBytesPriority},
    .limits = {Limit{.name = "min_packets",
                     .value = 20,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "probes with the RoCE DSCP in 20 s from which it is judged"},
               Limit{.name = "seen_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "bytes of the RoCE priority in a minute, in those of the probes, below which it fails"}},
    .facts = {"pause-direction"},
    .judge = judge,
};

}  // namespace roceready::rules

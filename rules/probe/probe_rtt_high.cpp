// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

bool limits_were_set(const Evidence& seen) {
  for (const char* name : {"median_factor", "tail_factor", "floor_s"})
    if (seen.limit_is_set(name)) return true;
  return false;
}

/// One peer by one kind of probe; false where it could not be judged, and that was noted.
void judge_kind(const Evidence& seen, const ProbedPeer& peer, const PeerProbe& probe, PeerJudgements& said) {
  constexpr double kFewLate = 0.01, kManyLate = 0.1;
  if (is_silent(probe)) return;
  if (!probe.rtt) {
    if (probe.sent > probe.lost) return said.unknown(peer, probe.rtt.absent());
    return said.later("no answer with a valid time from " + peer.name + " yet");
  }
  const double late = static_cast<double>(probe.late_polls) / static_cast<double>(probe.rtt->count);
  if (late >= kManyLate)
    return said.unknown(peer, {Why::NotPresent, "this host read " + std::to_string(probe.late_polls) + " of " +
                                                    counted(static_cast<double>(probe.rtt->count), "answer") +
                                                    " late, so their times are its own"});
  const std::uint64_t answers = probe.sent - std::min(probe.sent, probe.lost);
  if (answers > 0 && static_cast<double>(probe.responder_late) > kManyLate * static_cast<double>(answers))
    return said.unknown(peer, {Why::NotPresent, "its host came late to " + std::to_string(probe.responder_late) +
                                                    " of " + counted(static_cast<double>(answers), "probe") +
                                                    ", so it is the host that is slow, not the network"});
  if (!probe.baseline_p50_seconds || !probe.baseline_p99_seconds)
    return said.later("there is no baseline of the round trip to " + peer.name + " yet");
  const double p50 = probe.rtt->p50_seconds, p99 = probe.rtt->p99_seconds;
  const double base50 = *probe.baseline_p50_seconds, base99 = *probe.baseline_p99_seconds;
  const double most50 = std::max(base50 * seen.limit("median_factor"), seen.limit("floor_s"));
  const double most99 = std::max(base99 * seen.limit("tail_factor"), seen.limit("floor_s"));
  const bool slow50 = p50 > most50, slow99 = late < kFewLate && p99 > most99;
  const bool lasting = probe.slow_windows >= static_cast<std::uint32_t>(seen.limit("windows"));
  if (!lasting || (!slow50 && !slow99)) return said.pass();
  const std::string source = source_of(seen, peer);
  std::string sentence = "Round trips of " + probe.kind + " probes from " + port_name(seen) + " to " +
                         peer.full_name() + " take " + microseconds(p50) + " (median) and " + microseconds(p99) +
                         " (99th percentile), against " + microseconds(base50) + " and " + microseconds(base99) +
                         " when the path was calm, in " + std::to_string(probe.slow_windows) +
                         " of the last 5 minutes.";
  Judgement& failure =
      said.fail(peer, Severity::Warning, slow50 ? p50 / most50 : p99 / most99, std::move(sentence),
                {slow50 ? seen.item("median round trip", p50, "seconds", ">", most50, source)
                        : seen.item("99th percentile of the round trip", p99, "seconds", ">", most99, source),
                 seen.item("calm median", base50, "seconds", source),
                 seen.item("calm 99th percentile", base99, "seconds", source)});
  failure.derived_threshold = seen.limit_is_derived(slow50 ? "median_factor" : "tail_factor");
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  std::string why;
  if (!times_can_be_judged(seen, why) && !limits_were_set(seen)) return out.not_applicable(why);
  PeerJudgements said(seen, "answer RDMA probes slowly");
  for (const ProbedPeer& peer : peers) {
    if (const auto not_sent = why_not_sent(peer)) {
      said.unknown(peer, *not_sent);
      continue;
    }
    // One kind speaks for the peer: datagrams where there are any, as their times are the cleanest.
    const PeerProbe* chosen = peer.kinds.front();
    for (const PeerProbe* kind : peer.kinds)
      if (kind->kind == "ud") chosen = kind;
    judge_kind(seen, peer, *chosen, said);
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbeRttHigh;
constinit const Rule kProbeRttHigh{
    .id = "probe-rtt-high",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA round trips have become slow",
    .what =
        "Compares the network's part of the round trip with its own past under the same load. Warning when the median "
        "is above twice, or the 99th percentile above five times the baseline and above 50 µs, in three of five "
        "minutes.",
    .why = "Synchronous collectives wait for the slowest path.",
    .next = "See whether the path is congested: pause, congestion notifications, utilisation; then who causes it.",
    .likely_causes = {"incast", "pause on the path", "oversubscribed uplink"},
    .fix = {Recipe::Switch},
    .traps =
        {"Round trips depend on load: minutes in which an end of the path receives 5 % of its line rate or more are "
         "compared with such minutes alone. The first of them is believed, and so is the first idle one.",
         "Baselines outlive the daemon for seven days, as long as both ends, their addresses, line rate, MTU and "
         "firmware, and the probes' interval and class stay the same; slow minutes, which are counted as they pass by "
         "the limits of that time, begin anew with it.",
         "Only times of the same NIC's clock are subtracted.",
         "What this host read late, or the peer's host came late to, is that host's delay, not the network's.",
         "Software RDMA and virtual machines are judged only where the limits were set.",
         "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .limits = {Limit{.name = "median_factor",
                     .value = 2,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "median round trip, in baselines"},
               Limit{.name = "tail_factor",
                     .value = 5,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "99th percentile of the round trip, in baselines"},
               Limit{.name = "floor_s",
                     .value = 5e-05,
                     .unit = "seconds",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "round trip below which nothing is slow"},
               Limit{.name = "windows",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 5,
                     .evidence = 'D',
                     .help = "slow minutes of the last five"}},
    .facts = {"rpingmesh"},
    .judge = judge,
};

}  // namespace roceready::rules

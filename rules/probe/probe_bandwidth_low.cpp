// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rules/port_probes.h"
#include "rules/probe/bandwidth_runs.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Of a line filled with packets of this MTU, the payload as a share of what jumbo packets would bring. Beside its
/// payload a packet takes 82 bytes: preamble and gap 20, Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4.
double payload_share(std::uint32_t mtu_bytes) {
  constexpr double kBeside = 82, kJumbo = 4096;
  const double mtu = mtu_bytes == 0 ? kJumbo : std::min<double>(mtu_bytes, kJumbo);
  return mtu / (mtu + kBeside) / (kJumbo / (kJumbo + kBeside));
}

/// Why a low value says nothing of the path.
std::optional<Absent> why_not_judged(const BandwidthRun& run, double own) {
  if (const auto why = why_own_end_explains(run, own)) return why;
  if (!run.peer_speed_bits_per_second || *run.peer_speed_bits_per_second == 0)
    return Absent{Why::NotPresent, "the line rate of the peer's port is not known, and it may be the slower one"};
  if (!run.peer_busy_share)
    return Absent{Why::NotPresent,
                  "whether the peer's port carried other traffic is not known: " + run.peer_busy_share.absent().detail};
  if (*run.peer_busy_share >= kBusyShare)
    return Absent{Why::NotPresent,
                  "the peer's port received other traffic, or an earlier measurement, in the minute before; measure "
                  "again while it is idle"};
  return std::nullopt;
}

/// False: nothing was said but why not.
bool judge_run(const Evidence& seen, const BandwidthRun& run, const Reading<double>& own, PeerJudgements& said) {
  const ProbedPeer peer{run.peer, run.address, {}};
  const auto unknown = [&](const Absent& why) {
    said.unknown(peer, why);
    return false;
  };
  if (!run.bits_per_second) return unknown(run.bits_per_second.absent());
  if (!own) return unknown(own.absent());
  const auto there = static_cast<double>(run.peer_speed_bits_per_second.value_or(0));
  const double line = there > 0 ? std::min(*own, there) : *own;
  const double got = *run.bits_per_second, full = line * payload_share(run.mtu_bytes);
  if (got >= seen.limit("warn") * full) {
    said.pass();
    return true;
  }
  if (const auto why = why_not_judged(run, *own)) return unknown(*why);
  const bool critical = got < seen.limit("crit") * full;
  const double least = full * seen.limit(critical ? "crit" : "warn");
  const std::string source = "RDMA writes " + port_name(seen) + " to " + peer.name;
  Judgement& failure =
      said.fail(peer, critical ? Severity::Critical : Severity::Warning, full / std::max(got, 1.0),
                "RDMA writes from " + port_name(seen) + " to " + peer.full_name() + " got " + bit_rate(got) +
                    " of a line of " + bit_rate(line) + ", over " + std::to_string(run.queue_pairs) + " connections.",
                {seen.item("bandwidth of RDMA writes", got, "bits/s", "<", least, source),
                 seen.item("line rate of the slower end", line, "bits/s", source),
                 seen.item("RoCE MTU", run.mtu_bytes, "bytes", source)});
  failure.derived_threshold = seen.limit_is_derived(critical ? "crit" : "warn");
  return true;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<const BandwidthRun*> runs = newest_runs(seen, out, false);
  if (runs.empty()) return;
  if (const auto why = why_no_line(seen); why && limits_are_defaults(seen)) return out.not_applicable(*why);
  PeerJudgements said(seen, "give less bandwidth than the line");
  const Reading<double> own = line_of(seen);
  int judged = 0;
  for (const BandwidthRun* run : runs) judged += judge_run(seen, *run, own, said) ? 1 : 0;
  said.write(out);
  // Of one pair nobody knows which end is slow.
  if (judged > 1) return;
  for (Judgement& entry : out.entries())
    if (entry.outcome == Outcome::Fail) entry.confidence = std::min(entry.confidence, PeerJudgements::kPerhapsThere);
}

}  // namespace

extern const Rule kProbeBandwidthLow;
constinit const Rule kProbeBandwidthLow{
    .id = "probe-bandwidth-low",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA bandwidth to a peer is low",
    .what =
        "Judges what `roceready probe --kind bandwidth` measured: RDMA writes of 64 KiB or more over at least four "
        "connections, against the line rate of the slower end, less what the headers of small packets take. Critical "
        "below 80 % of it, warning below 92 %.",
    .why = "Jobs run at the speed of their slowest pair.",
    .next =
        "Measure to another peer to learn which end is slow; then look at PCIe width and speed of that end first, "
        "then MTU, pause and the class's guaranteed bandwidth.",
    .likely_causes = {"degraded PCIe link", "small RoCE MTU", "guaranteed bandwidth of the class too small",
                      "congested path"},
    .fix = {Recipe::Pcie, Recipe::Mtu, Recipe::Ets},
    .traps =
        {"A daemon never measures by itself: that fills the line.",
         "A busy link measures low: it is not judged where either end carried 5 % of its line rate or more before, "
         "or does not tell. A passing value needs no such excuse.",
         "A peer without a daemon tells no line rate; then only what passes by our own is judged.",
         "Where PCIe is the known limit, that rule is the cause. Of a bond one port's share is expected.",
         "Of one pair nobody knows which end is slow: with one peer measured the confidence is low.",
         "Software RDMA and virtual machines are judged only where the limits were set."},
    .limits = {Limit{.name = "crit",
                     .value = 0.8,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'P',
                     .help = "share of the line rate below which it is critical"},
               Limit{.name = "warn",
                     .value = 0.92,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the line rate below which it is a warning"}},
    .facts = {"rpingmesh"},
    .on_demand = true,
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include "rules/event_share.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->adaptive_routing)
    return out.not_applicable("with adaptive routing packets overtake each other: gaps prove nothing");
  const CounterId id = shown_of(seen, {CounterId::OutOfSequence, CounterId::OutOfSequenceEvents});
  const Reading<Windows> gaps = seen.windows(id, kMinute, kMinutes);
  if (!readable(seen, out, id, gaps)) return;
  const double min_packets = seen.limit("min_packets");
  const auto share =
      share_of_packets(seen, out, *gaps, CounterId::RdmaRxPackets, seen.limit("min_events"), min_packets);
  if (!share) return;
  const double warn = limit_or_profile(seen, "warn", profile->loss_warn);
  const Held bad = held(share->shares, [&](const Increase& one) { return one.amount > 0 && one.amount >= warn; });
  if (bad == Held::Never) return quiet_share(seen, out, *share, min_packets);

  const bool sustained = bad == Held::Sustained;
  const char* unit = id == CounterId::OutOfSequence ? "packet" : "gap";
  Judgement& entry = out.fail(sustained ? Severity::Warning : Severity::Info,
                              port_name(seen) + " missed packets of its peers: " + counted(gaps->latest.amount, unit) +
                                  " out of sequence in the last " + duration_text(gaps->latest.seconds) + ", " +
                                  short_share(share->shares.latest.amount) + " of the RDMA packets received" +
                                  sustained_words(sustained),
                              {seen.item("out of sequence per RDMA packet received", share->shares.latest.amount,
                                         "share", ">=", warn, seen.source_of(id))});
  entry.derived_threshold = true;
  if (!outgrows_packets(seen, id, CounterId::RdmaRxPackets)) return;
  entry.confidence = kDoubted;
  entry.sentence += " The counter grows faster than packets arrive, so it is not to be trusted.";
}

}  // namespace

extern const Rule kTransportOos;
constinit const Rule kTransportOos{
    .id = "transport-oos",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Packets from peers arrive out of sequence",
    .what =
        "Compares what arrived out of sequence with the RDMA packets received; mlx4 and software RoCE count gaps "
        "instead of packets. Warning from one in 10 million (lossy designs: one in 10 000), when reached in three of "
        "the last five minutes with at least ten each.",
    .why = "A packet was lost or overtaken on its way to this port; the sender goes back and resends a window.",
    .next =
        "Find where this direction loses packets: drops of this NIC, its link, then the switch; the peer that sends "
        "shows the same as transport-seq-err.",
    .likely_causes = {"drops on the path to this port or in this NIC", "link errors", "PFC off on one hop",
                      "switch watchdog drops", "packets overtake each other"},
    .fix = {Recipe::Switch},
    .traps = {"It is transport-seq-err of the peers, seen from the other side: the same loss, not a second one.",
              "With adaptive routing or spraying, packets overtake each other: the profile switches this rule off.",
              "Software RoCE and mlx4 count one for each gap, so their shares are smaller than those of other NICs."},
    .needs = {CounterId::OutOfSequence, CounterId::OutOfSequenceEvents, CounterId::RdmaRxPackets},
    .limits = {Limit{.name = "warn",
                     .value = 1e-7,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "out of sequence per packet received that is a warning; the profile's holds while this is "
                             "not changed"},
               Limit{.name = "min_events",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "packets or gaps out of sequence in a minute below which nothing is judged"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets in a minute below which no share is judged"}},
    .facts = {"mlx5-q-counters", "rxe-hw-counters", "mlx4-diag-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

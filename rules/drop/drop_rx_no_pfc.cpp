// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/event_share.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  const std::string priority = std::to_string(profile->roce_priority);
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  if (pfc && pfc->on(profile->roce_priority))
    return out.not_applicable("PFC is on for priority " + priority + ": drop-rx-lossless-prio judges its drops");
  constexpr CounterId kDrops = CounterId::RxDiscardsPhy;
  const Reading<Windows> drops = seen.windows(kDrops, kMinute, kMinutes);
  if (!readable(seen, out, kDrops, drops)) return;
  const double min_packets = seen.limit("min_packets"), limit = seen.limit("share");
  const auto share =
      share_of_packets(seen, out, *drops, CounterId::RxPacketsPhy, seen.limit("min_events"), min_packets);
  if (!share) return;
  const Held many = held(share->shares, [&](const Increase& one) { return one.amount >= limit; });
  if (many == Held::Never) return quiet_share(seen, out, *share, min_packets);
  // Whether the class has flow control decides what the drops mean, except where the design wants none.
  if (!pfc && profile->mode != kLossy) return out.unknown(pfc.absent());
  const bool sustained = many == Held::Sustained;
  Judgement& entry =
      out.fail(sustained ? Severity::Warning : Severity::Info,
               netdev_name(seen) + " dropped " + counted(drops->latest.amount, "packet") + " on receive in the last " +
                   duration_text(drops->latest.seconds) + ", " + short_share(share->shares.latest.amount) +
                   " of those that arrived, with no flow control on priority " + priority + sustained_words(sustained),
               {seen.item("packets dropped per packet received", share->shares.latest.amount, "share", ">=", limit,
                          seen.source_of(kDrops))});
  entry.confidence = profile->dedicated_nic ? 1.0 : 0.7;
  entry.derived_threshold = seen.limit_is_derived("share");
}

}  // namespace

extern const Rule kDropRxNoPfc;
constinit const Rule kDropRxNoPfc{
    .id = "drop-rx-no-pfc",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "NIC drops received packets, and no flow control prevents it",
    .what =
        "Compares the port's receive discards with all packets received, where PFC is off on the RoCE priority. "
        "Warning from one in a million, when reached in three of the last five minutes with at least ten each.",
    .why = "Each dropped RoCE packet makes its sender resend a window.",
    .next =
        "In a lossless design switch PFC on (pfc-disabled); in a lossy one look at bursts, PCIe and the ring sizes.",
    .likely_causes = {"PFC is off although the design wants it", "incast bursts larger than the NIC's buffer",
                      "PCIe too slow for the link", "receive rings too small"},
    .fix = {Recipe::Pfc, Recipe::Rings},
    .traps = {"The counter is the whole port's: TCP can be among the dropped, so the confidence is 0.7 unless the NIC "
              "is RoCE's alone.",
              "Where PFC is on, drop-rx-lossless-prio judges."},
    .needs = {CounterId::RxDiscardsPhy, CounterId::RxPacketsPhy},
    .limits = {Limit{.name = "share",
                     .value = 1e-6,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "packets dropped per packet received that are a warning"},
               Limit{.name = "min_events",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "drops in a minute below which nothing is judged"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets in a minute below which no share is judged"}},
    .facts = {"mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

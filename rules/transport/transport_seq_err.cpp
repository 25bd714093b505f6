// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "rules/event_share.h"
#include "rules/port_traffic.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 60, kNeededSeconds = 180;
constexpr std::size_t kWindows = 5;

/// Windows of both kinds of NAK. Implied ones are left out where the NIC does not show them.
Windows all_naks(const Evidence& seen, Windows explicit_ones) {
  const Reading<Windows> implied = seen.windows(CounterId::ImpliedNak, kWindowSeconds, kWindows);
  if (implied) add_windows(explicit_ones, *implied);
  return explicit_ones;
}

/// NAKs and timeouts per packet sent, in the window that ended `ago` seconds before now. Nothing without packets,
/// or with fewer than `least` events.
std::optional<double> lost_share(const Evidence& seen, double seconds, double ago, double least) {
  double events = 0;
  for (const CounterId id : {CounterId::PacketSeqErr, CounterId::ImpliedNak, CounterId::LocalAckTimeout})
    if (const Reading<Increase> grew = seen.increase(id, seconds, kNoLane, ago)) events += grew->amount;
  const Reading<Increase> sent = port_increase(seen, CounterId::RdmaTxPackets, seconds, kNoLane, ago);
  if (!sent || sent->amount < 1 || events < least) return std::nullopt;
  return events / sent->amount;
}

/// Marks the episode, so that it can be held against what else happened then (rules.md 7.3): the last ten seconds
/// against the hour before, in which what is ten minutes older counts half.
std::string spike_words(const Evidence& seen, double floor) {
  constexpr double kNow = 10, kStep = 600;
  constexpr int kSteps = 6;
  const std::optional<double> now = lost_share(seen, kNow, 0, seen.limit("min_events"));
  if (!now || *now < floor) return "";
  double usual = 0, weights = 0, weight = 1;
  for (int step = 0; step < kSteps; ++step, weight /= 2) {
    const std::optional<double> then = lost_share(seen, kStep, kStep * step + kWindowSeconds, 0);
    if (!then) continue;
    usual += weight * *then;
    weights += weight;
  }
  if (weights <= 0 || *now < seen.limit("spike_factor") * usual / weights) return "";
  if (usual <= 0) return " It is a spike: there was no loss in the hour before.";
  return " It is a spike: " + short_number(*now * weights / usual, 2) + " times what is usual here.";
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->adaptive_routing)
    return out.not_applicable("with adaptive routing packets overtake each other: sequence errors prove nothing");
  constexpr CounterId kNaks = CounterId::PacketSeqErr;
  const Reading<Windows> windows = seen.windows(kNaks, kWindowSeconds, kWindows);
  if (!readable(seen, out, kNaks, windows)) return;

  Windows naks = all_naks(seen, *windows);
  const Increase latest = naks.latest;
  const Reading<Increase> sent = port_increase(seen, CounterId::RdmaTxPackets, kWindowSeconds);
  if (latest.amount > 0 && !sent) {
    if (seen.never_shown(CounterId::RdmaTxPackets) && seen.port().members.empty())
      return out.not_looked_at("never_shown", "this NIC's driver does not count the RDMA packets that it sends", "");
    return out.unknown(sent.absent());
  }
  const auto few = [&](Increase& window) {
    if (window.amount < seen.limit("min_events")) window.amount = 0;
  };
  few(naks.latest);
  std::for_each(naks.complete.begin(), naks.complete.end(), few);
  const Windows shares = share_of_packets_sent(seen, naks, seen.limit("min_packets"));
  const double warn = limit_or_profile(seen, "warn", profile->loss_warn);
  const double crit = limit_or_profile(seen, "crit", profile->loss_crit);
  const Held bad = held(shares, [&](const Increase& share) { return share.amount > 0 && share.amount >= crit; });
  const Held some = held(shares, [&](const Increase& share) { return share.amount > 0 && share.amount >= warn; });
  if (bad != Held::Sustained && some == Held::Never) {
    if (latest.amount > 0 && sent && sent->amount < seen.limit("min_packets"))
      return out.not_looked_at("longer_window",
                               "only " + counted(sent->amount, "RDMA packet") + " sent: too few to judge a share",
                               "a window with traffic");
    if (nothing_hidden(seen, out, {kNaks, CounterId::ImpliedNak})) quiet(seen, out, kNeededSeconds);
    return;
  }
  const Severity severity = bad == Held::Sustained    ? Severity::Critical
                            : some == Held::Sustained ? Severity::Warning
                                                      : Severity::Info;
  const double share = shares.latest.amount;
  std::string sentence = "Peers of " + port_name(seen) + " missed packets: " + counted(latest.amount, "sequence NAK") +
                         " in the last " + duration_text(latest.seconds);
  if (share > 0) sentence += ", " + short_share(share) + " of the packets sent";
  sentence +=
      severity == Severity::Info ? "; that is not sustained yet." : ", and too many in three of the last five minutes.";
  sentence += spike_words(seen, warn);
  const bool doubted = outgrows_packets(seen, kNaks, CounterId::RdmaTxPackets);
  if (doubted) sentence += " The counter grows faster than packets are sent, so it is not to be trusted.";
  Judgement& entry = out.fail(severity, sentence,
                              {seen.item("sequence NAKs per packet sent", share, "share",
                                         ">=", severity == Severity::Critical ? crit : warn, seen.source_of(kNaks)),
                               seen.item("sequence NAKs", latest.per_second(), "events/s", seen.source_of(kNaks))});
  entry.derived_threshold = true;
  if (doubted) entry.confidence = kDoubted;
}

}  // namespace

extern const Rule kTransportSeqErr;
constinit const Rule kTransportSeqErr{
    .id = "transport-seq-err",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Peers miss packets that this port sent",
    .what =
        "Compares sequence NAKs, explicit and implied, with the RDMA packets sent. Warning from one in 10 million, "
        "critical "
        "from one in 100 000 (lossy designs: 1 in 10 000 and 1 in 1000), when reached in three of the last five "
        "minutes with "
        "at least ten NAKs each.",
    .why = "Each loss resends a window, and throughput falls far more than the share of lost packets says.",
    .next =
        "Find where packets are lost: link errors, drops at the receivers, PFC missing on one hop, the switch's "
        "watchdog.",
    .likely_causes = {"drops on the path or at the receiver", "link errors", "PFC off on one hop",
                      "switch watchdog drops", "packets overtake each other"},
    .fix = {Recipe::Switch},
    .traps = {"With adaptive routing or spraying, packets overtake each other: the profile switches this rule off.",
              "The counters also rise when a peer resets its queue pair; few NAKs are not judged.",
              "On some NICs the counter of implied NAKs is stuck."},
    .needs = {CounterId::PacketSeqErr, CounterId::ImpliedNak, CounterId::RdmaTxPackets, CounterId::LocalAckTimeout},
    .limits = {Limit{.name = "warn",
                     .value = 1e-7,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "NAKs per packet sent that are a warning; the profile's holds while this is not changed"},
               Limit{.name = "crit",
                     .value = 1e-5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "NAKs per packet sent that are critical; the profile's holds while this is not changed"},
               Limit{.name = "min_events",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "NAKs in a minute below which nothing is judged"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets sent in a minute below which no share is judged"},
               Limit{.name = "spike_factor",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "loss of the last ten seconds, in what is usual here, that is called a spike"}},
    .facts = {"mlx5-q-counters", "rxe-hw-counters", "irdma-gen2-no-retransmission"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstddef>
#include <string>
#include <vector>

#include "rules/port_traffic.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 60, kNeededSeconds = 180;
constexpr std::size_t kWindows = 5;

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  constexpr CounterId kTimeouts = CounterId::LocalAckTimeout;
  const Reading<Windows> windows = seen.windows(kTimeouts, kWindowSeconds, kWindows);
  if (!readable(seen, out, kTimeouts, windows)) return;

  const double lenience = profile->mode == kLossy ? seen.limit("lossy_factor") : 1;
  const double warn = seen.limit("warn_per_min") * lenience, crit = seen.limit("crit_per_s") * lenience;
  const double crit_share = seen.limit("crit_share") * lenience;
  const Windows shares = share_of_packets_sent(seen, *windows, seen.limit("min_packets"));
  const Held many =
      held(*windows, [&](const Increase& window) { return window.amount > 0 && window.per_second() >= crit; });
  const Held large =
      held(shares, [&](const Increase& share) { return share.amount > 0 && share.amount >= crit_share; });
  const Held some = held(*windows, [&](const Increase& window) { return window.amount > 0 && window.amount >= warn; });

  const bool critical = many == Held::Sustained || large == Held::Sustained;
  if (!critical && some == Held::Never) return quiet(seen, out, kNeededSeconds);
  const Severity severity = critical                  ? Severity::Critical
                            : some == Held::Sustained ? Severity::Warning
                                                      : Severity::Info;
  const Increase& latest = windows->latest;
  std::string sentence = counted(latest.amount, "ACK timeout") + " on " + port_name(seen) + " in the last " +
                         duration_text(latest.seconds);
  sentence +=
      severity == Severity::Info ? "; that is not sustained yet." : ", and so in three of the last five minutes.";
  if (many != Held::Sustained && large == Held::Sustained)
    sentence += " That is " + short_share(shares.latest.amount) + " of the packets sent.";
  std::vector<EvidenceItem> evidence = {
      seen.item("local_ack_timeout", latest.per_second(), "events/s",
                ">=", critical && many == Held::Sustained ? crit : warn / kWindowSeconds, seen.source_of(kTimeouts))};
  if (large == Held::Sustained)
    evidence.push_back(seen.item("ACK timeouts per packet sent", shares.latest.amount, "share", ">=", crit_share,
                                 seen.source_of(kTimeouts)));
  out.fail(severity, sentence, std::move(evidence)).derived_threshold =
      seen.limit_is_derived(critical ? "crit_per_s" : "warn_per_min");
}

}  // namespace

extern const Rule kTransportAckTimeout;
constinit const Rule kTransportAckTimeout{
    .id = "transport-ack-timeout",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Acknowledgements do not come back in time",
    .what =
        "Counts ACK timeouts of this port as a sender. Warning at one a minute, critical at one a second or one in 100 "
        "000 "
        "packets sent, when reached in three of the last five minutes; ten times as much in a lossy design.",
    .why = "Each one stalls its queue pair for 67 ms at a timeout of 14 and for 4.3 s at 20, then resends a window.",
    .next = "Look for loss and pause on the path first: link, PFC and storm findings here and at the peers.",
    .likely_causes = {"the last packet of a message lost", "ACKs lost in a lossy class", "a pause storm holds the path",
                      "dead peer", "link flaps"},
    .fix = {Recipe::Switch},
    .traps = {"One after a link flap or when a peer restarts is normal: info until it is sustained.",
              "Some ConnectX generations adapt the timeout, so the configured one does not hold.",
              "Intel's E810 has no such counter: its TCP retransmissions are iWARP's."},
    .needs = {CounterId::LocalAckTimeout, CounterId::RdmaTxPackets},
    .limits = {Limit{.name = "warn_per_min",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "ACK timeouts in a minute that are a warning"},
               Limit{.name = "crit_per_s",
                     .value = 1,
                     .unit = "events/s",
                     .min = 0.01,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "ACK timeouts in a second that are critical"},
               Limit{.name = "crit_share",
                     .value = 1e-5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "ACK timeouts per packet sent that are critical"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets sent in a minute below which no share is judged"},
               Limit{.name = "lossy_factor",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "by how much a lossy design raises the limits"}},
    .facts = {"mlx5-q-counters", "ibta-ack-timeout", "irdma-gen2-no-retransmission"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/ecn/cc_files.h"
#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60, kNeededSeconds = 180;

void judge(const Evidence& seen, Outcomes& out) {
  if (heeds_no_marks(*seen.profile())) return out.not_applicable(no_marks(*seen.profile()));
  if (seen.profile()->congestion_control == CongestionControl::Other)
    return out.not_applicable("profile " + seen.profile()->name + " controls congestion without notifications");
  const Reading<Windows> marked = seen.windows(CounterId::EcnMarkedRx, kMinute, 5);
  if (!readable(seen, out, CounterId::EcnMarkedRx, marked)) return;
  const Reading<Windows> sent = seen.windows(CounterId::CnpSent, kMinute, 1);
  if (!readable(seen, out, CounterId::CnpSent, sent)) return;
  const double least = seen.limit("min_marked");
  const Held held = held_together(*marked, [&](const Increase& window, double ago) {
    const Reading<Increase> answers = seen.increase(CounterId::CnpSent, kMinute, kNoLane, ago);
    return window.amount >= least && answers && answers->amount <= 0;
  });
  if (held == Held::Never) return quiet(seen, out, kNeededSeconds);
  std::string sentence = port_name(seen) + " received " + counted(marked->latest.amount, "packet") +
                         " marked for congestion in the last " + duration_text(marked->latest.seconds) +
                         " and sent no congestion notification.";
  const Severity severity = severity_of(held, Severity::Warning, sentence);
  Judgement& entry =
      out.fail(severity, sentence,
               {seen.item("packets received with a congestion mark", marked->latest.amount, "packets", ">=", least,
                          seen.source_of(CounterId::EcnMarkedRx)),
                seen.item("congestion notifications sent", 0, "packets", "==", 0, seen.source_of(CounterId::CnpSent))});
  entry.confidence = 0.7;
}

}  // namespace

extern const Rule kEcnMarkedNoCnp;
constinit const Rule kEcnMarkedNoCnp{
    .id = "ecn-marked-no-cnp",
    .since = "0.3",
    .family = "ecn",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "Marked packets arrive, but nobody is told to slow down",
    .what =
        "Fires when at least 1000 packets with a congestion mark arrived in a minute and no congestion notification "
        "was sent, in three of the last five minutes.",
    .why = "The senders do not learn of the congestion: it spreads as pause, or becomes loss.",
    .next = "Switch the notification half (NP) of congestion control on for RoCE's priority.",
    .likely_causes = {"notification (NP) is off", "notifications limited in rate", "firmware"},
    .fix = {Recipe::Ecn},
    .traps =
        {"On some NICs and firmware the counter of notifications is stuck; look at a peer's before you believe it.",
         "Datagram traffic (UD) is not answered by notifications.", "PFC-only designs have none."},
    .needs = {CounterId::EcnMarkedRx, CounterId::CnpSent},
    .limits = {Limit{.name = "min_marked",
                     .value = 1000,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "marked packets in a minute that must be answered"}},
    .facts = {"dcqcn-roles", "cnp-counters-unreliable"},
    .judge = judge,
};

}  // namespace roceready::rules

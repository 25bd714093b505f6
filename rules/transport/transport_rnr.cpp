// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kNaks = CounterId::RnrNakReceived, kBroken = CounterId::RnrRetryExceeded;
  const Reading<Windows> naks = seen.windows(kNaks, kMinute, kMinutes);
  const Reading<Windows> broken = seen.windows(kBroken, kMinute, 1);
  if (!naks && !broken) {
    const CounterId shown = shown_of(seen, {kNaks, kBroken});
    readable(seen, out, shown, shown == kNaks ? naks : broken);
    return;
  }
  const double limit = seen.limit("per_s");
  const Held many = naks ? held(*naks, [&](const Increase& one) { return one.per_second() >= limit; }) : Held::Never;
  const double gave_up = broken ? broken->latest.amount : 0;
  if (many == Held::Never && gave_up < 1) {
    if (nothing_hidden(seen, out, {kNaks, kBroken})) quiet(seen, out, kSustainedSeconds);
    return;
  }

  std::string sentence;
  std::vector<EvidenceItem> evidence;
  if (many != Held::Never) {
    sentence = "Peers of " + port_name(seen) + " were not ready to receive " + counted(naks->latest.amount, "time") +
               " in the last " + duration_text(naks->latest.seconds) + sustained_words(many == Held::Sustained);
    evidence.push_back(
        seen.item("RNR NAKs received", naks->latest.per_second(), "events/s", ">=", limit, seen.source_of(kNaks)));
  }
  if (gave_up >= 1) {
    sentence += (sentence.empty() ? "" : " ") + counted(gave_up, "connection") + " of " + port_name(seen) +
                " gave up because the receiver was never ready.";
    evidence.push_back(seen.item("retries for a receiver that was not ready used up", gave_up, "events", ">=", 1,
                                 seen.source_of(kBroken)));
  }
  out.fail(many == Held::Sustained || gave_up >= 1 ? Severity::Warning : Severity::Info, sentence, std::move(evidence))
      .derived_threshold = gave_up < 1 && seen.limit_is_derived("per_s");
}

}  // namespace

extern const Rule kTransportRnr;
constinit const Rule kTransportRnr{
    .id = "transport-rnr",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Receivers are not ready: peers have no receive buffer posted",
    .what =
        "Counts RNR NAKs that this port receives. Warning from ten a second in three of the last five minutes, or when "
        "a connection gave up for this reason in the last minute.",
    .why = "Each one makes the sender wait and try again; the application stalls although the network is fine.",
    .next =
        "Look at the application at the peer: it posts receive buffers too late or too few; the network is not at "
        "fault.",
    .likely_causes = {"slow consumer at the peer", "shared receive queue too small", "peer overloaded",
                      "job is starting"},
    .fix = {Recipe::Application},
    .traps = {"It is flow control of the application, never a fault of the network.",
              "UCX and NCCL may use it normally while a job starts: info until it is sustained.",
              "NAKs that this port sends are those of its own applications: transport-no-receive-buffer."},
    .needs = {CounterId::RnrNakReceived, CounterId::RnrRetryExceeded},
    .limits = {Limit{.name = "per_s",
                     .value = 10,
                     .unit = "events/s",
                     .min = 0.1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "RNR NAKs in a second that are a warning"}},
    .facts = {"mlx5-q-counters", "rxe-hw-counters", "ibta-rnr"},
    .judge = judge,
};

}  // namespace roceready::rules

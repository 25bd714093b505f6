// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstddef>
#include <string>

#include "rules/event_share.h"
#include "rules/port_traffic.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// A minute in which much was lost and little arrived for the first time.
struct Minute {
  double loss = 0, good = 1;
  [[nodiscard]] bool stuck(const Evidence& seen) const {
    return loss >= seen.limit("loss_share") && good < seen.limit("good_share");
  }
};

Minute minute_of(const Evidence& seen, double events, double ago) {
  Minute out;
  const Reading<Increase> wire = port_increase(seen, CounterId::RdmaRxPackets, kMinute, kNoLane, ago);
  const Reading<Increase> sent = port_increase(seen, CounterId::RdmaTxPackets, kMinute, kNoLane, ago);
  const Reading<Increase> good = seen.increase(CounterId::RdmaRxGoodPackets, kMinute, kNoLane, ago);
  if (!wire || !good || wire->amount < seen.limit("min_packets")) return out;
  out.loss = events / (wire->amount + (sent ? sent->amount : 0));
  out.good = good->amount / wire->amount;
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kGood = CounterId::RdmaRxGoodPackets;
  if (seen.never_shown(kGood))
    return out.not_looked_at("never_shown",
                             "this NIC does not tell what arrived for the first time from what was resent",
                             "a bandwidth probe, or the application's own throughput");
  const auto ids = {CounterId::PacketSeqErr, CounterId::OutOfSequence, CounterId::LocalAckTimeout};
  const Reading<Windows> events = sum_of(seen, ids);
  if (!sum_readable(seen, out, ids, events)) return;
  const Reading<Windows> good = seen.windows(kGood, kMinute, 1);
  if (!readable(seen, out, kGood, good)) return;
  std::size_t stuck = 0;
  for (std::size_t k = 0; k < events->complete.size(); ++k)
    stuck += minute_of(seen, events->complete[k].amount, events->ago[k]).stuck(seen) ? 1U : 0U;
  const Minute latest = minute_of(seen, events->latest.amount, 0);
  const bool sustained = stuck >= 3;
  if (!sustained && !latest.stuck(seen)) {
    const bool whole = nothing_hidden(seen, out, ids) && nothing_hidden(seen, out, {CounterId::RdmaRxPackets});
    if (whole) quiet(seen, out, kSustainedSeconds);
    return;
  }
  out.fail(sustained ? Severity::Critical : Severity::Info,
           port_name(seen) + " is busy without getting anywhere: " + percent(latest.good) +
               " of the packets received in the last minute were of use, and " + short_share(latest.loss) +
               " of all packets met loss" + sustained_words(sustained),
           {seen.item("packets of use per RDMA packet received", latest.good, "share", "<", seen.limit("good_share"),
                      seen.source_of(kGood)),
            seen.item("sequence errors and timeouts per RDMA packet", latest.loss, "share",
                      ">=", seen.limit("loss_share"), seen.source_of(CounterId::PacketSeqErr))});
}

}  // namespace

extern const Rule kTransportLivelock;
constinit const Rule kTransportLivelock{
    .id = "transport-livelock",
    .family = "transport",
    .action = Action::Isolate,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kRate | kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Busy link, no progress: everything is resent",
    .what =
        "Compares packets of use with all RDMA packets received, where the NIC counts both (Broadcom), together with "
        "sequence errors and timeouts. Critical when less than 10 % are of use and at least one packet in 1000 meets "
        "loss, in three of the last five minutes.",
    .why =
        "With go-back-N even small loss can make senders resend for ever: the link is full and the job stands still.",
    .next = "Stop the job or take the node out, then find the loss: link, drops, PFC on each hop.",
    .likely_causes = {"steady loss on the path", "failing optic or cable",
                      "a switch that drops one packet in a pattern"},
    .fix = {Recipe::Switch},
    .traps = {"Counters of a port do not show progress on most NICs: nothing is said there, and a probe can tell.",
              "A high share of loss alone is transport-seq-err."},
    .needs = {CounterId::RdmaRxGoodPackets, CounterId::RdmaRxPackets, CounterId::RdmaTxPackets, CounterId::PacketSeqErr,
              CounterId::OutOfSequence, CounterId::LocalAckTimeout},
    .limits = {Limit{.name = "loss_share",
                     .value = 1e-3,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'P',
                     .help = "sequence errors and timeouts per packet"},
               Limit{.name = "good_share",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "packets of use per packet received"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets in a minute below which no share is judged"}},
    .facts = {"rdma-livelock"},
    .judge = judge,
};

}  // namespace roceready::rules

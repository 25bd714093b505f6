// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const CounterId id = shown_of(seen, {CounterId::DuplicateRequest, CounterId::DuplicateRequestEvents});
  const Reading<Windows> repeats = seen.windows(id, kMinute, kMinutes);
  if (!readable(seen, out, id, repeats)) return;
  const double min_packets = seen.limit("min_packets"), limit = seen.limit("share");
  const auto share = share_of_packets(seen, out, *repeats, CounterId::RdmaRxPackets, 1, min_packets);
  if (!share) return;
  const Held many = held(share->shares, [&](const Increase& one) { return one.amount >= limit; });
  if (many == Held::Never) return quiet_share(seen, out, *share, min_packets);
  out.fail(Severity::Info,
           "Peers of " + port_name(seen) + " repeated " + counted(repeats->latest.amount, "request") + " in the last " +
               duration_text(repeats->latest.seconds) + ", " + short_share(share->shares.latest.amount) +
               " of the RDMA packets received: what this port answered was lost or late" +
               sustained_words(many == Held::Sustained),
           {seen.item("repeated requests per RDMA packet received", share->shares.latest.amount, "share", ">=", limit,
                      seen.source_of(id))})
      .derived_threshold = seen.limit_is_derived("share");
}

}  // namespace

extern const Rule kTransportDupRequest;
constinit const Rule kTransportDupRequest{
    .id = "transport-dup-request",
    .family = "transport",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Peers repeat requests that this port has had",
    .what =
        "Compares repeated requests with the RDMA packets received. Info from one in a million, when reached in three "
        "of the last five minutes.",
    .why = "The answer or acknowledgement of this port was lost or late: loss on the way back.",
    .next =
        "Look for loss from this port to the peers: transmit discards here, link errors, drops at the peers and the "
        "class that acknowledgements travel in.",
    .likely_causes = {"acknowledgements or responses lost on the way back", "pause holds this port's transmit side",
                      "the peer's timeout is too short", "one peer restarted"},
    .fix = {Recipe::Switch},
    .traps =
        {"Each timeout or sequence NAK at a peer repeats a whole window, so few losses make many repeats: info only.",
         "mlx4 counts events, other NICs packets."},
    .needs = {CounterId::DuplicateRequest, CounterId::DuplicateRequestEvents, CounterId::RdmaRxPackets},
    .limits = {Limit{.name = "share",
                     .value = 1e-6,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "repeated requests per packet received that are told"},
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

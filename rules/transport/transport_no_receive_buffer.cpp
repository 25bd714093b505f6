// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Senders noticed: NAKs for the same reason, sent where the NIC counts those, else received.
bool joined_with_naks(const Evidence& seen, double limit) {
  const CounterId id = shown_of(seen, {CounterId::RnrNakSent, CounterId::RnrNakReceived});
  const Reading<Windows> naks = seen.windows(id, kMinute, kMinutes);
  return naks && held(*naks, [&](const Increase& one) { return one.per_second() >= limit; }) == Held::Sustained;
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kDropped = CounterId::OutOfBuffer;
  const Reading<Windows> dropped = seen.windows(kDropped, kMinute, kMinutes);
  if (!readable(seen, out, kDropped, dropped)) return;
  const double limit = seen.limit("per_s");
  const Held many = held(*dropped, [&](const Increase& one) { return one.per_second() >= limit; });
  if (many == Held::Never) return quiet(seen, out, kSustainedSeconds);
  const bool sustained = many == Held::Sustained;
  const bool joined = sustained && joined_with_naks(seen, limit);
  std::string sentence = counted(dropped->latest.amount, "packet") + " for " + port_name(seen) +
                         " found no posted receive buffer in the last " + duration_text(dropped->latest.seconds) +
                         sustained_words(sustained);
  if (joined) sentence += " Receivers that are not ready are reported at the same time.";
  out.fail(joined ? Severity::Warning : Severity::Info, sentence,
           {seen.item("packets without a receive buffer", dropped->latest.per_second(), "packets/s", ">=", limit,
                      seen.source_of(kDropped))})
      .derived_threshold = seen.limit_is_derived("per_s");
}

}  // namespace

extern const Rule kTransportNoReceiveBuffer;
constinit const Rule kTransportNoReceiveBuffer{
    .id = "transport-no-receive-buffer",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA packets find no receive buffer on this node",
    .what =
        "Counts RDMA packets that arrived when no receive work request was posted. Info from ten a second in three of "
        "the last five minutes; warning when RNR NAKs are as frequent.",
    .why = "Reliable connections wait and retry; datagrams are lost without a word.",
    .next = "Look at the receiving application on this node: post more receive buffers, or earlier.",
    .likely_causes = {"slow consumer on this node", "shared receive queue too small",
                      "datagram traffic that nobody reads"},
    .fix = {Recipe::Application},
    .traps =
        {"Counts queue pairs only: ethtool's rx_out_of_buffer is about the network stack's rings, and is not used.",
         "Datagrams that are dropped here are not resent.",
         "Missing receive buffers make no pause on reliable connections."},
    .needs = {CounterId::OutOfBuffer, CounterId::RnrNakSent, CounterId::RnrNakReceived},
    .limits = {Limit{.name = "per_s",
                     .value = 10,
                     .unit = "packets/s",
                     .min = 0.1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "packets without a receive buffer, in a second, that are told"}},
    .facts = {"mlx5-q-counters", "ibta-rnr"},
    .judge = judge,
};

}  // namespace roceready::rules

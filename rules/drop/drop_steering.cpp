// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/event_share.h"
#include "rules/port_traffic.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindow = 300;

/// Bytes came in on the lossless class while no RDMA packet arrived for this host: they were for somebody else.
bool floods_lossless(const Evidence& seen) {
  const Profile* profile = seen.profile();
  if (profile == nullptr || !profile->is_lossless(profile->roce_priority)) return false;
  const Reading<Increase> bytes = seen.increase(CounterId::RxBytesPriority, kWindow, profile->roce_priority);
  const Reading<Increase> rdma = port_increase(seen, CounterId::RdmaRxPackets, kWindow);
  return bytes && rdma && bytes->amount > 0 && rdma->amount < 1;
}

void judge(const Evidence& seen, Outcomes& out) {
  const CounterId id = shown_of(seen, {CounterId::RxSteerMissed, CounterId::RxFilterMiss});
  const Reading<Windows> missed = seen.windows(id, kWindow, 1);
  if (!readable(seen, out, id, missed)) return;
  if (missed->latest.amount < 1) return quiet(seen, out, kWindow);
  const Reading<Increase> all = seen.increase(CounterId::RxPacketsPhy, kWindow);
  if (!all) {
    readable(seen, out, CounterId::RxPacketsPhy, seen.windows(CounterId::RxPacketsPhy, kWindow, 1));
    return;
  }
  const double limit = seen.limit("share");
  const double share = all->amount >= seen.limit("min_packets") ? missed->latest.amount / all->amount : 0;
  if (share <= limit || missed->complete.empty()) return quiet(seen, out, kWindow);
  const bool floods = floods_lossless(seen);
  std::string sentence = netdev_name(seen) + " dropped " + percent(share) + " of the packets received in the last " +
                         duration_text(missed->latest.seconds) + " because nothing on this host waits for them.";
  if (floods)
    sentence += " Bytes arrive on lossless priority " + std::to_string(seen.profile()->roce_priority) +
                " while no RDMA packet is for this host: the switch floods the lossless class.";
  out.fail(floods ? Severity::Warning : Severity::Info, sentence,
           {seen.item("packets that match no steering rule, per packet received", share, "share", ">", limit,
                      seen.source_of(id))})
      .derived_threshold = seen.limit_is_derived("share");
}

}  // namespace

extern const Rule kDropSteering;
constinit const Rule kDropSteering{
    .id = "drop-steering",
    .family = "drop",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "Many packets arrive that nobody on this host wants",
    .what =
        "Compares packets that matched no steering rule with all packets received. Info above 1 % over five minutes; "
        "warning when the lossless class brings bytes while no RDMA packet is for this host.",
    .why = "Flooded packets take bandwidth; in a lossless class they can close a circle of pause and stop the fabric.",
    .next = "Look for unknown unicast flooding: stale ARP or MAC entries, timeouts that differ, a mirror port.",
    .likely_causes = {"unknown unicast flooding by the switch", "multicast that nobody joined", "mirror port",
                      "a MAC address moved"},
    .fix = {Recipe::Switch},
    .traps = {"Flooding and multicast in a shared layer 2 are normal: info.",
              "While RDMA traffic arrives too, what was flooded cannot be told apart."},
    .needs = {CounterId::RxSteerMissed, CounterId::RxFilterMiss, CounterId::RxPacketsPhy, CounterId::RxBytesPriority,
              CounterId::RdmaRxPackets},
    .limits = {Limit{.name = "share",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "packets nobody wants, per packet received, that are told"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets in five minutes below which no share is judged"}},
    .facts = {"pfc-flooding-deadlock", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

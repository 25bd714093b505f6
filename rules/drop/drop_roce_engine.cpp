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
  const auto ids = {CounterId::RxRoceDiscards, CounterId::RxRoceErrors, CounterId::RdmaRxDiscards,
                    CounterId::RdmaRxDiscardsV6, CounterId::RdmaRxVlanErrors};
  const Reading<Windows> drops = sum_of(seen, ids);
  if (!sum_readable(seen, out, ids, drops)) return;
  const double min_packets = seen.limit("min_packets"), warn = seen.limit("warn"), crit = seen.limit("crit");
  const auto share =
      share_of_packets(seen, out, *drops, CounterId::RdmaRxPackets, seen.limit("min_events"), min_packets);
  if (!share) return;
  const Held some = held(share->shares, [&](const Increase& one) { return one.amount >= warn; });
  if (some == Held::Never) {
    if (nothing_hidden(seen, out, ids)) quiet_share(seen, out, *share, min_packets);
    return;
  }
  const bool sustained = some == Held::Sustained;
  const bool critical = profile->mode == kLossless &&
                        held(share->shares, [&](const Increase& one) { return one.amount >= crit; }) == Held::Sustained;
  const CounterId first = shown_of(seen, ids);
  std::string sentence = "The RDMA engine of " + port_name(seen) + " threw away " +
                         counted(drops->latest.amount, "packet") + " in the last " +
                         duration_text(drops->latest.seconds) + ", " + short_share(share->shares.latest.amount) +
                         " of those that it received" + sustained_words(sustained);
  Judgement& entry =
      out.fail(critical    ? Severity::Critical
               : sustained ? Severity::Warning
                           : Severity::Info,
               sentence,
               {seen.item("packets dropped by the RDMA engine per packet received", share->shares.latest.amount,
                          "share", ">=", critical ? crit : warn, seen.source_of(first))});
  entry.derived_threshold = seen.limit_is_derived(critical ? "crit" : "warn");
  // irdma counts what else reaches its protocol engine too.
  if (first == CounterId::RdmaRxDiscards) entry.confidence = 0.7;
}

}  // namespace

extern const Rule kDropRoceEngine;
constinit const Rule kDropRoceEngine{
    .id = "drop-roce-engine",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The NIC's RDMA engine throws received packets away",
    .what =
        "Compares discards and errors of the RDMA engine (Broadcom, Intel, HiSilicon) with the RDMA packets received. "
        "Warning from one in a million with at least ten a minute, critical in a lossless design from one in 10 000; "
        "in three of the last five minutes.",
    .why = "The network delivered these packets and the NIC lost them: senders resend windows.",
    .next = "Check VLAN and priority of the sender against this port, then the NIC's firmware and PCIe.",
    .likely_causes = {"VLAN or priority does not match", "engine overloaded or PCIe too slow",
                      "packets for queue pairs that are gone", "firmware"},
    .fix = {Recipe::Firmware, Recipe::Pcie},
    .traps = {"irdma counts packets that are not RDMA as well: confidence 0.7 there.",
              "Broadcom's recoverable_errors is a field used for something else, and is not read."},
    .needs = {CounterId::RxRoceDiscards, CounterId::RxRoceErrors, CounterId::RdmaRxDiscards,
              CounterId::RdmaRxDiscardsV6, CounterId::RdmaRxVlanErrors, CounterId::RdmaRxPackets},
    .limits = {Limit{.name = "warn",
                     .value = 1e-6,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "packets dropped per packet received that are a warning"},
               Limit{.name = "crit",
                     .value = 1e-4,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "packets dropped per packet received that are critical in a lossless design"},
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
    .facts = {"roce-engine-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

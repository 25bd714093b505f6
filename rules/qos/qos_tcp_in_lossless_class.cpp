// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "rules/qos/priority_bytes.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 300, kComplete = 0.9;

/// Ports of virtual functions and sub-functions on the same card: their RDMA is in the priorities, not in our count.
bool other_functions_exist(const Evidence& seen) {
  const Reading<std::string>& own = seen.port().pci_address;
  if (!own) return false;
  const std::string card = own->substr(0, own->rfind(':'));
  return std::any_of(seen.now().ports.begin(), seen.now().ports.end(), [&](const RdmaPort& other) {
    const bool part = other.function == FunctionKind::Virtual || other.function == FunctionKind::SubFunction;
    return part && other.pci_address && other.pci_address->starts_with(card);
  });
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  const std::uint32_t own = profile.pfc_priorities;
  if (own == 0) return out.not_applicable("profile " + profile.name + " has no lossless priority");
  if (const auto id = bytes_never_shown(seen))
    return out.not_looked_at("never_shown", std::string(info_of(*id).name) + ": this NIC's driver does not count it",
                             "");
  double on_class = 0, rdma = 0, seconds = 0;
  for (const bool received : {false, true}) {
    const Reading<PriorityBytes> bytes = priority_bytes(seen, received, kWindowSeconds, own);
    if (!bytes) {
      const bool early = bytes.absent().why == Why::NotRecorded;
      if (early) return out.not_looked_at("longer_window", bytes.absent().detail, "a longer --window, or the daemon");
      return out.unknown(bytes.absent());
    }
    on_class += bytes->sum(own);
    rdma += bytes->rdma;
    seconds = bytes->seconds;
  }
  const double other = std::max(0.0, on_class - rdma);
  const double share = profile.dedicated_nic ? seen.limit("share_dedicated") : seen.limit("share");
  if (other < share * on_class || other < seen.limit("min_bytes")) return quiet(seen, out, kWindowSeconds);

  std::string sentence = "On " + netdev_name(seen) + " " + percent(other / on_class) + " of what lossless " +
                         priorities_text(own) + " carried in the last " + duration_text(seconds) +
                         " was not RDMA: " + short_number(other * 1e-9) + " GB.";
  const bool others = other_functions_exist(seen);
  if (others) sentence += " Virtual functions of this card may have sent RDMA that is not counted here.";
  const bool full = seconds >= kComplete * kWindowSeconds;
  if (!full) sentence += " That is not sustained yet.";
  Judgement& entry = out.fail(full ? Severity::Warning : Severity::Info, sentence,
                              {seen.item("share of the lossless class that is not RDMA", other / on_class, "share",
                                         ">=", share, seen.source_of(CounterId::RxBytesPriority))});
  entry.confidence = others ? 0.4 : 1.0;
  entry.derived_threshold = seen.limit_is_derived(profile.dedicated_nic ? "share_dedicated" : "share");
}

}  // namespace

extern const Rule kQosTcpInLosslessClass;
constinit const Rule kQosTcpInLosslessClass{
    .id = "qos-tcp-in-lossless-class",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Traffic that is not RDMA uses the lossless class",
    .what =
        "Subtracts the bytes of RDMA from those of the lossless priorities over five minutes. Fires when what is left "
        "is at least 10 % of them (5 % with the modifier dedicated-nic) and 1 GiB.",
    .why = "Bursts of TCP fill the lossless buffers, and RDMA is paused for them.",
    .next = "Find what sends with RoCE's DSCP or VLAN priority, and give it another.",
    .likely_causes = {"TCP applications set RoCE's DSCP", "VLAN egress map puts everything on one priority",
                      "storage over TCP in the storage class"},
    .fix = {Recipe::EgressMap},
    .traps = {"RDMA of virtual functions of the same card is in the priority but not in our count: low confidence.",
              "Headers are counted differently, by a few percent; hence the margin.",
              "A class that carries little says nothing."},
    .needs = {CounterId::RxBytesPriority, CounterId::TxBytesPriority, CounterId::RdmaRxBytes, CounterId::RdmaTxBytes},
    .limits = {Limit{.name = "share",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the lossless bytes that may be something else"},
               Limit{.name = "share_dedicated",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "the same on a NIC that carries RoCE alone"},
               Limit{.name = "min_bytes",
                     .value = 1073741824,
                     .unit = "bytes",
                     .min = 1,
                     .max = 1e15,
                     .evidence = 'D',
                     .help = "bytes of something else in five minutes below which nothing is said"}},
    .facts = {"mlx5-ethtool-counters"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

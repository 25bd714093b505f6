// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/roce/rdma_astray.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const RdmaPort& port = seen.port();
  if (stated_profile(seen, out) == nullptr) return;
  const Profile& profile = *seen.profile();
  const auto right = [&](const Reading<std::uint32_t>& tos) { return tos && *tos >> 2 == profile.roce_dscp; };
  if (right(port.forced_traffic_class) || right(port.cma_default_tos)) return out.pass();

  // Without PFC another class is a matter of taste.
  const std::optional<Astray> astray =
      profile.mode == kLossy ? std::nullopt : packets_astray(seen, seen.limit("min_packets"));
  const Astray found = astray.value_or(Astray{});
  const bool proven = astray.has_value() && found.share >= seen.limit("astray_share");
  if (!port.cma_default_tos && !proven) return out.unknown(port.cma_default_tos.absent());

  std::vector<EvidenceItem> evidence;
  std::string sentence;
  if (port.cma_default_tos) {
    sentence = "RDMA-CM on " + port_name(seen) + " sends with ToS " + std::to_string(*port.cma_default_tos) +
               " (DSCP " + std::to_string(*port.cma_default_tos >> 2) +
               ") unless an application says otherwise; RoCE's DSCP is " + std::to_string(profile.roce_dscp) + ".";
    evidence.push_back(seen.item("default ToS of RDMA-CM", *port.cma_default_tos, "", "!=", profile.roce_dscp * 4.0,
                                 "configfs rdma_cm " + owner_of(port)));
  } else {
    sentence = "What RDMA-CM sends with on " + port_name(seen) + " is not readable.";
  }
  if (!proven) return (void)out.fail(Severity::Info, sentence, std::move(evidence));
  sentence += " At least " + percent(found.share) + " of the RDMA packets sent in the last " +
              duration_text(found.seconds) + " left on other priorities than " + std::to_string(profile.roce_priority) +
              ".";
  evidence.push_back(seen.item("share of RDMA packets sent on other priorities", found.share, "share",
                               ">=", seen.limit("astray_share"), seen.source_of(CounterId::TxPacketsPriority)));
  out.fail(Severity::Critical, sentence, std::move(evidence)).derived_threshold = seen.limit_is_derived("astray_share");
}

}  // namespace

extern const Rule kRoceTosDefaultZero;
constinit const Rule kRoceTosDefaultZero{
    .id = "roce-tos-default-zero",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic | kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA-CM sends in the default class",
    .what =
        "Compares the default ToS of RDMA-CM, and the vendor driver's forced traffic class, with the profile's DSCP. "
        "Info, "
        "unless the profile uses PFC and counters show that RDMA packets leave on another priority: then critical.",
    .why = "RoCE in the default class is neither paused nor marked: it is dropped under load.",
    .next = "Set the default ToS, or the traffic class of the applications (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS).",
    .likely_causes = {"default ToS never set, or lost at reboot", "applications do not set their traffic class"},
    .fix = {Recipe::Tos},
    .traps =
        {"Packets on another priority prove nothing while the NIC itself classifies otherwise: qos-trust-pcp, "
         "qos-dscp-map.",
         "Packets between programs of one host stay inside the NIC: they are taken off, and where the NIC does not "
         "count "
         "them its RDMA packets prove nothing.",
         "Applications set their own traffic class, so the default alone proves nothing: info.",
         "The default holds for RDMA-CM only, not for queue pairs that are connected by other means.",
         "Its directory in configfs exists only while somebody made it. Without it the value is unknown, not 0; this "
         "program never makes it."},
    .needs = {CounterId::RdmaTxPackets, CounterId::VportLoopbackPackets, CounterId::TxPacketsPriority},
    .limits = {Limit{.name = "astray_share",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0.01,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the RDMA packets sent on other priorities that proves the fault"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "count",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "RDMA packets sent in a minute below which counters prove nothing"}},
    .facts = {"kernel-cma-configfs", "mlx5-ethtool-counters"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

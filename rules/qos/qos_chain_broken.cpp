// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <optional>
#include <string>

#include "rules/roce_chain.h"
#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (profile.pfc_priorities == 0) return out.not_applicable("profile " + profile.name + " has no lossless priority");
  const Reading<std::uint32_t>& forced = seen.port().forced_traffic_class;
  if (!forced && forced.absent().why != Why::NotPresent && forced.absent().why != Why::NotSupported)
    return out.unknown(forced.absent());
  const std::optional<std::uint32_t> tos = roce_tos(seen);
  const Reading<ChainBreak> found = chain_break(seen, tos);
  if (!shown(out, found, "the way of a packet to its priority")) return;
  const std::string& broken = found->words;

  // What RDMA-CM sets for programs that set nothing is another candidate, and one that may be nobody's.
  std::string also;
  const Reading<std::uint32_t>& of_cm = seen.port().cma_default_tos;
  if (!forced && of_cm && (!tos || *of_cm >> 2 != profile.roce_dscp))
    also = chain_break(seen, *of_cm).value_or(ChainBreak{}).words;
  if (also == broken) also.clear();
  if (broken.empty() && also.empty()) return out.pass();

  std::string sentence = "On " + seen.member().link.name + " RoCE is not lossless: ";
  if (!broken.empty())
    sentence += std::string(forced ? "the traffic class forced on all queue pairs, " : "") + broken + ".";
  else
    sentence = "On " + seen.member().link.name + " programs that leave the choice to RDMA-CM are not lossless: ";
  if (!also.empty()) sentence += (broken.empty() ? "" : " RDMA-CM's default: ") + also + ".";
  if (found->of_some) sentence += " What its other addresses send is lossless; which of them RoCE uses is not known.";
  const bool some = broken.empty() || found->of_some;
  const Severity severity = unless_converging(seen, some ? Severity::Info : Severity::Critical, sentence);
  const std::string& what = broken.empty() ? also : broken;
  out.fail(severity, sentence,
           {seen.word("first broken hop", what, "!=", "lossless from ToS to class", dcb_source(seen))});
}

}  // namespace

extern const Rule kQosChainBroken;
constinit const Rule kQosChainBroken{
    .id = "qos-chain-broken",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "RoCE's way from ToS to traffic class is not lossless",
    .what =
        "Follows a RoCE packet through this NIC: ToS byte (forced by the vendor driver, else the profile's), trust, "
        "DSCP map or VLAN tag, priority, PFC, traffic class. Names the first hop that leaves the "
        "lossless class: PFC off, or a class shared with lossy priorities.",
    .why = "Each setting can be right by itself and RoCE still be dropped under load: only the whole chain counts.",
    .next = "Repair the hop that is named, and leave the others as they are.",
    .likely_causes = {"one of trust, map, PFC and classes was lost at reboot", "settings of two designs mixed",
                      "DCBX overwrote a part"},
    // Of these and of Trust and EgressMap, those of the broken hop (cures_of_chain).
    .fix = {Recipe::Tos, Recipe::DscpMap, Recipe::Pfc, Recipe::Ets},
    .traps = {"Which ToS verbs programs set is not known: the profile's is followed, and RDMA-CM's default as info.",
              "The chain ends at the NIC: the switch is not seen.",
              "Where some of the port's addresses are tagged as the design has it and others are not, it is info.",
              "A receive buffer that lossy priorities share is still lossless: it costs headroom (qos-buffer-shared)."},
    .facts = {"mlx5-dcbnl-trust", "dcbnl-pfc-mask", "kernel-tos-to-priority"},
    .judge = judge,
};

}  // namespace roceready::rules

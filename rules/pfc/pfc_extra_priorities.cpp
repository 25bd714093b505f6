// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <bit>
#include <cstdint>
#include <string>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (profile.pfc_priorities == 0) return out.not_applicable("profile " + profile.name + " has no lossless priority");
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  if (!shown(out, pfc, "its PFC priorities")) return;
  if ((pfc->enabled & profile.pfc_priorities) != profile.pfc_priorities)
    return out.not_applicable("PFC lacks a priority of the profile: see pfc-disabled and pfc-wrong-priority");
  const std::uint32_t extra = pfc->enabled & ~std::uint32_t{profile.pfc_priorities} & 0xffU;
  if (extra == 0) return out.pass();

  std::string sentence = "On " + seen.member().link.name + " PFC is also on for " + priorities_text(extra) +
                         ", which profile " + profile.name + " does not want lossless.";
  if (pfc->enabled == 0xffU)
    sentence += " All eight are lossless, so nothing on this port can be dropped, broadcasts included.";
  else if ((extra & 1U) != 0)
    sentence += " Priority 0 is the default class: broadcasts in a lossless class can deadlock a fabric.";
  else if (std::popcount(pfc->enabled) > 2)
    sentence += " Each one takes headroom from the others.";
  const Severity severity = unless_converging(seen, Severity::Warning, sentence);
  out.fail(severity, sentence,
           {seen.word("priorities with PFC", priorities_text(pfc->enabled),
                      "!=", priorities_text(profile.pfc_priorities), dcb_source(seen))});
}

}  // namespace

extern const Rule kPfcExtraPriorities;
constinit const Rule kPfcExtraPriorities{
    .id = "pfc-extra-priorities",
    .since = "0.3",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "PFC is on for more priorities than the design has",
    .what =
        "Reads the NIC's PFC priorities by DCB netlink. Fires when the profile's are all among them and there are "
        "more.",
    .why =
        "Every lossless class takes headroom, and broadcasts or TCP in one spread pause: with the default class "
        "lossless, a fabric can deadlock.",
    .next = "Set PFC to exactly the profile's priorities, on the NIC and on the switch.",
    .likely_causes = {"PFC switched on for all priorities", "set up for another design", "DCBX took the switch's set"},
    .fix = {Recipe::Pfc},
    .traps = {"Designs with two lossless classes (3 and 4) have a profile of their own.",
              "A set that lacks a priority of the profile is pfc-disabled or pfc-wrong-priority, and not this.",
              "While DCBX is willing, the first minute after link up is info."},
    .facts = {"dcbnl-pfc-mask", "lossless-classes-cost"},
    .judge = judge,
};

}  // namespace roceready::rules

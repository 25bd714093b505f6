// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (profile.pfc_priorities == 0) return out.not_applicable("profile " + profile.name + " has no lossless priority");
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  if (!pfc) return cannot_read(out, pfc.absent(), "its PFC priorities");
  if ((pfc->enabled & profile.pfc_priorities) == profile.pfc_priorities) return out.pass();
  if (pfc->enabled != 0) return out.not_applicable("PFC is on, for other priorities: see pfc-wrong-priority");

  Severity severity = Severity::Critical;
  std::string sentence = "PFC is off on every priority of " + seen.member().link.name + "; profile " + profile.name +
                         " needs it on " + priorities_text(profile.pfc_priorities) + ".";
  if (may_still_converge(seen)) {
    severity = Severity::Info;
    sentence += " The link came up a moment ago and DCBX may still change that.";
  }
  out.fail(severity, sentence,
           {seen.word("priorities with PFC", "none", "!=", priorities_text(profile.pfc_priorities), dcb_source(seen))});
}

}  // namespace

extern const Rule kPfcDisabled;
constinit const Rule kPfcDisabled{
    .id = "pfc-disabled",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .mandatory = kLossless | kPfcOnly,
    .title = "PFC is off",
    .what =
        "Reads the NIC's PFC priorities by DCB netlink. Fires when there is none although the profile has lossless "
        "ones.",
    .why =
        "Packets are lost whenever several senders meet; every loss resends a window and stretches the tail latency.",
    .next = "Switch PFC on for the profile's priorities, and make the setting survive a reboot.",
    .likely_causes = {"setting lost at reboot", "DCBX overwrote it", "the profile does not fit this design"},
    .fix = {Recipe::Pfc},
    .traps = {"Designs without PFC have another profile, and this rule does not apply.",
              "PFC on other priorities is pfc-wrong-priority.",
              "While DCBX is willing, the first minute after link up is info.",
              "The mask is the NIC's own: it does not say that the switch honours it."},
    .facts = {"ieee-802.1qbb", "dcbnl-pfc-mask"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
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
  if (pfc->enabled == 0) return out.not_applicable("PFC is off altogether: see pfc-disabled");
  const std::uint32_t missing = profile.pfc_priorities & ~pfc->enabled;
  if (missing == 0) return out.pass();

  Severity severity = Severity::Critical;
  std::string sentence = "On " + seen.member().link.name + " PFC is on for " + priorities_text(pfc->enabled) +
                         " but not for " + priorities_text(missing) + ", where profile " + profile.name + " puts RoCE.";
  if (may_still_converge(seen)) {
    severity = Severity::Info;
    sentence += " The link came up a moment ago and DCBX may still change that.";
  }
  out.fail(severity, sentence,
           {seen.word("priorities with PFC", priorities_text(pfc->enabled),
                      "!=", priorities_text(profile.pfc_priorities), dcb_source(seen))});
}

}  // namespace

extern const Rule kPfcWrongPriority;
constinit const Rule kPfcWrongPriority{
    .id = "pfc-wrong-priority",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .mandatory = kLossless | kPfcOnly,
    .title = "PFC is missing on a priority of RoCE, and on for others",
    .what =
        "Reads the NIC's PFC priorities by DCB netlink. Fires when there are some, but a lossless priority of the "
        "profile "
        "is not among them.",
    .why = "RoCE is lost under load, while another class can be paused for nothing.",
    .next = "Set PFC to exactly the profile's priorities, and make the setting survive a reboot.",
    .likely_causes = {"priority confused with traffic class or DSCP", "set up for another design",
                      "DCBX took the switch's set"},
    .fix = {Recipe::Pfc},
    .traps = {"An empty set is pfc-disabled.", "More priorities than the profile has are another rule's matter.",
              "While DCBX is willing, the first minute after link up is info."},
    .facts = {"ieee-802.1qbb", "dcbnl-pfc-mask"},
    .judge = judge,
};

}  // namespace roceready::rules

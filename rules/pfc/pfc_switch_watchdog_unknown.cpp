// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  if (!shown(out, pfc, "its PFC priorities")) return;
  if (pfc->enabled == 0) return out.not_applicable("PFC is off");
  out.fail(Severity::Info,
           "Whether the switch behind " + seen.member().link.name +
               " ends a pause storm by itself cannot be seen from a host; check that its PFC watchdog is on for " +
               priorities_text(pfc->enabled) + ".",
           {seen.word("priorities with PFC", priorities_text(pfc->enabled), dcb_source(seen))});
}

}  // namespace

extern const Rule kPfcSwitchWatchdogUnknown;
constinit const Rule kPfcSwitchWatchdogUnknown{
    .id = "pfc-switch-watchdog-unknown",
    .since = "0.3",
    .family = "pfc",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "The switch's PFC watchdog cannot be seen from here",
    .what = "Says, wherever PFC is on, what to check on the switch. Never more than info.",
    .why = "Without a watchdog one NIC that pauses without end can stop a whole fabric.",
    .next =
        "Check on the switch: SONiC pfcwd (200 ms detection and restoration), Junos pfc-watchdog (two polls of 100 "
        "ms), NX-OS watch-dog-interval on.",
    .likely_causes = {"LLDP does not carry it"},
    .fix = {Recipe::Switch},
    .traps = {"It is advice, not a fault: no point is lost for it.", "Without PFC there is no pause to storm."},
    .facts = {"sonic-storm-detector"},
    .judge = judge,
};

}  // namespace roceready::rules

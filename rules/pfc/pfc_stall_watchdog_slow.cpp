// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  if (!shown(out, pfc, "its PFC priorities")) return;
  if (pfc->enabled == 0) return out.not_applicable("PFC is off");
  const Reading<std::uint32_t>& stall = seen.member().ethtool.pfc_stall_limit_ms;
  if (!shown(out, stall, "how long it pauses when it stalls")) return;
  const double most = seen.limit("max_ms");
  if (*stall != 0 && *stall <= most) return out.pass();
  const bool required = seen.profile()->nic_watchdog == NicWatchdog::Required;
  std::string sentence = "When " + seen.member().link.name + " stalls, it pauses the switch ";
  sentence += *stall == 0 ? "without end" : "for up to " + std::to_string(*stall) + " ms";
  sentence += required ? "; profile " + seen.profile()->name + " wants " + std::to_string(static_cast<long>(most)) +
                             " ms or less."
                       : "; a switch behind it can be blocked for as long.";
  out.fail(required ? Severity::Warning : Severity::Info, sentence,
           {seen.item("stall limit of the NIC", *stall, "ms", *stall == 0 ? "==" : ">", *stall == 0 ? 0 : most,
                      "ethtool --get-tunable " + seen.member().link.name + " pfc-prevention-tout")});
}

}  // namespace

extern const Rule kPfcStallWatchdogSlow;
constinit const Rule kPfcStallWatchdogSlow{
    .id = "pfc-stall-watchdog-slow",
    .since = "0.3",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "A stalled NIC would pause the switch for seconds",
    .what =
        "Reads the NIC's limit for pausing while it is stalled, where PFC is on. Fires above 1 s or when there is "
        "none: info, and a warning where the profile requires a watchdog.",
    .why = "A NIC that hangs can block a whole fabric until the limit is reached.",
    .next = "Set the limit to auto, which is 100 ms.",
    .likely_causes = {"8 s, the factory setting", "switched off"},
    .fix = {Recipe::StallWatchdog},
    .traps = {"8 s is what the driver comes with, so it is info unless the profile says more.",
              "Too short a limit makes a slow receiver drop."},
    .limits = {Limit{.name = "max_ms",
                     .value = 1000,
                     .unit = "ms",
                     .min = 80,
                     .max = 60000,
                     .evidence = 'D',
                     .help = "longest stall that the NIC may answer with pause"}},
    .facts = {"mlx5-stall-prevention"},
    .judge = judge,
};

}  // namespace roceready::rules

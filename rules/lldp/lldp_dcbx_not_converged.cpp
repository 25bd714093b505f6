// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpDcbxNotConverged;
constinit const Rule kLldpDcbxNotConverged{
    .id = "lldp-dcbx-not-converged",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "A willing host does not run what the switch announces",
    .what =
        "Compares the settings in force with those announced, where the host is willing and the link has been up for a "
        "minute. Warning when PFC or ETS differ.",
    .why = "PFC may be off although both ends look right.",
    .next = "Restart the agent, and see whether the NIC can do what is announced.",
    .likely_causes = {"agent hangs", "two agents", "limit of the hardware"},
    .fix = {Recipe::Lldp, Recipe::Switch},
    .traps = {"Where the hardware cannot do it, qos-hw-limit-exceeded is the cause."},
    .limits = {Limit{.name = "after_s",
                     .value = 60,
                     .unit = "seconds",
                     .min = 1,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "how long the link must have been up: two announcements"}},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

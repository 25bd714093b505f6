// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpAppMismatch;
constinit const Rule kLldpAppMismatch{
    .id = "lldp-app-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "The switch announces another priority for RoCE",
    .what =
        "Reads the application priorities that the switch announces for UDP port 4791 and for DSCPs. Warning when they "
        "differ from the host's RoCE priority, critical when the host is willing to take them over.",
    .why = "A willing NIC puts RoCE into the class that the switch announces.",
    .next = "Correct the switch's application table, or make the host unwilling.",
    .likely_causes = {"switch defaults", "host follows the switch"},
    .fix = {Recipe::DscpMap, Recipe::Lldp, Recipe::Switch},
    .traps = {"No announcement proves nothing.", "Where the NIC trusts DSCP, entries for UDP ports do not matter."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

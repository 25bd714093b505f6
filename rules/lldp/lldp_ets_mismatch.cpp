// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpEtsMismatch;
constinit const Rule kLldpEtsMismatch{
    .id = "lldp-ets-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Switch and host share bandwidth differently",
    .what =
        "Compares the ETS configuration and recommendation of the switch with the host's. Warning when RoCE and "
        "notifications are grouped otherwise, or the RoCE class's bandwidth differs by more than 10 points.",
    .why = "Under congestion the class gets less than one end thinks.",
    .next = "Use the same grouping and shares on both ends.",
    .likely_causes = {"only one end was configured", "defaults on the switch"},
    .fix = {Recipe::Ets, Recipe::Switch},
    .traps = {"Numbers of traffic classes are each device's own: grouping is compared.",
              "Does not matter on a NIC for RoCE alone."},
    .limits = {Limit{.name = "points",
                     .value = 10,
                     .unit = "percent",
                     .min = 0,
                     .max = 100,
                     .evidence = 'D',
                     .help = "difference of the RoCE class's bandwidth"}},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kFabricLeafCommonFault;
constinit const Rule kFabricLeafCommonFault{
    .id = "fabric-leaf-common-fault",
    .family = "fabric",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kLldp | kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "All ports of one switch have the same fault",
    .what =
        "Fires when at least half of the ports of one switch have the same finding and less than 10 % of those "
        "elsewhere; as grave as the gravest of them.",
    .why = "The switch is the thing to repair, not the nodes.",
    .next = "Look at that switch: configuration, software, power, line card.",
    .likely_causes = {"setting of the switch", "software of the switch", "line card"},
    .fix = {Recipe::Switch},
    .traps = {"All nodes of a rack may also share their image: compare what else they have in common.",
              "Needs reports of at least four nodes of the same role within five minutes."},
    .limits = {Limit{.name = "share_of_leaf",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "ports of the switch with the finding"},
               Limit{.name = "share_elsewhere",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "ports elsewhere with it, at most"}},
    .facts = {"fabric-majority"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kFabricRailMiswire;
constinit const Rule kFabricRailMiswire{
    .id = "fabric-rail-miswire",
    .family = "fabric",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kLldp | kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "A NIC is cabled to another rail than its peers'",
    .what =
        "Compares the switch that each NIC is cabled to, by LLDP, and its subnet, with NICs of the same place in other "
        "nodes. Warning when 90 % agree and this one differs; critical when reachability needs the rails.",
    .why = "Traffic of that rail takes extra hops or does not arrive.",
    .next = "Move the cable, or correct the address.",
    .likely_causes = {"cable in the wrong port", "NICs numbered differently after a replacement", "wrong address"},
    .fix = {Recipe::Optic, Recipe::Switch},
    .traps =
        {"Fabrics without rails have no such order.",
         "Needs to know to which switch and port each NIC is cabled (LLDP), here and of the peers. This version does "
         "not: a configured label says what should be, not what is."},
    .facts = {"lldp-tlvs", "fabric-majority"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

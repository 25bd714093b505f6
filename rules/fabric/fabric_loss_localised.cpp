// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kFabricLossLocalised;
constinit const Rule kFabricLossLocalised{
    .id = "fabric-loss-localised",
    .family = "fabric",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Loss has been traced to one node, leaf or path",
    .what =
        "Pairs senders' sequence NAKs with receivers' gaps and with the probes between them. Fires when they point to "
        "one node, one pair of leaves or one path; as grave as the gravest member.",
    .why = "It tells where to look among hundreds of nodes that all see loss.",
    .next = "Look at the named node, leaf or path.",
    .likely_causes = {"failing link", "failing NIC", "a switch that drops"},
    .fix = {Recipe::Switch},
    .traps = {"Counters of two nodes are compared by the minute, never sample by sample.",
              "Needs reports of at least four nodes of the same role within five minutes."},
    .facts = {"rpingmesh"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

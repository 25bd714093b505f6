// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpMultipleNeighbors;
constinit const Rule kLldpMultipleNeighbors{
    .id = "lldp-multiple-neighbors",
    .family = "lldp",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kLldp,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "More than one device announces itself on this port",
    .what = "Counts the chassis that announced themselves and did not expire. Warning from two on.",
    .why = "Something stands between host and switch, unmanaged and in the lossless path; DCBX needs exactly one peer.",
    .next = "Find the second device: a bridge, a virtual machine, a management controller.",
    .likely_causes = {"unmanaged switch in between", "virtual machine or management controller that leaks", "DPU"},
    .fix = {Recipe::Lldp, Recipe::Switch},
    .traps = {"Devices of the own node are left out by their address."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

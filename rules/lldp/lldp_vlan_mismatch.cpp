// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpVlanMismatch;
constinit const Rule kLldpVlanMismatch{
    .id = "lldp-vlan-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kLldp | kProbe,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "The switch port does not carry the host's RoCE VLAN",
    .what =
        "Compares the host's VLAN with the port VLAN and the named VLANs that the switch announces. Warning; critical "
        "when the peers are unreachable too.",
    .why = "Nothing of that rail arrives.",
    .next = "Add the VLAN to the switch port.",
    .likely_causes = {"VLAN missing on the trunk", "wrong native VLAN"},
    .fix = {Recipe::Switch},
    .traps = {"Switches announce only some of many VLANs."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

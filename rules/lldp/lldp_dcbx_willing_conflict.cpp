// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpDcbxWillingConflict;
constinit const Rule kLldpDcbxWillingConflict{
    .id = "lldp-dcbx-willing-conflict",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kLldp,
    .modes = kLossless,
    .scope = Scope::Member,
    .title = "It is not settled who decides on QoS: host or switch",
    .what =
        "Fires when the host is willing although its settings are meant to stay, critical where the profile says "
        "static; or when both ends or neither are willing while their settings differ.",
    .why = "The switch can overwrite the host's PFC at any time, a reboot of the switch is enough.",
    .next = "Make the host unwilling, or let the switch decide and configure it there.",
    .likely_causes = {"NIC firmware is willing by default", "switch and host managed by different teams"},
    .fix = {Recipe::Lldp, Recipe::Switch},
    .traps = {"Intel's firmware agent is always willing and overrides software."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

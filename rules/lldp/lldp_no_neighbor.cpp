// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpNoNeighbor;
constinit const Rule kLldpNoNeighbor{
    .id = "lldp-no-neighbor",
    .family = "lldp",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kLldp,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "No switch announces itself on this port",
    .what =
        "Fires when the link has been up for two minutes, an LLDP agent listens, and nothing was heard. Info; warning "
        "where the profile requires LLDP.",
    .why = "Without it nothing is known of the switch's side of PFC, ETS and MTU.",
    .next = "Switch LLDP on at the switch port, and see who listens on the host.",
    .likely_causes = {"LLDP off at the switch port", "the NIC's firmware keeps LLDP to itself",
                      "agent that only sends"},
    .fix = {Recipe::Lldp, Recipe::Switch},
    .traps = {"Not received is not the same as switched off.", "Firmware agents consume LLDP before the host sees it."},
    .limits = {Limit{.name = "after_s",
                     .value = 120,
                     .unit = "seconds",
                     .min = 1,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "how long the link must have been up"}},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

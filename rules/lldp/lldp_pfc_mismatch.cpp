// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpPfcMismatch;
constinit const Rule kLldpPfcMismatch{
    .id = "lldp-pfc-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Switch and host have PFC on for different priorities",
    .what =
        "Compares the PFC bitmap that the switch announces with the host's. Critical when they differ on a priority of "
        "the profile, warning elsewhere.",
    .why = "One end sends pause that the other ignores: packets of the lossless class are lost.",
    .next = "Set the same priorities on both ends.",
    .likely_causes = {"PFC not configured on the switch port", "another priority on one end",
                      "switch port lost its profile"},
    .fix = {Recipe::Pfc, Recipe::Switch},
    .traps = {"A switch may announce what it does not apply.",
              "What is not announced is not known, and never called off."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

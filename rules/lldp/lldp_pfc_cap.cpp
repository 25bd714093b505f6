// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpPfcCap;
constinit const Rule kLldpPfcCap{
    .id = "lldp-pfc-cap",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "The switch can make fewer priorities lossless than the design needs",
    .what =
        "Compares the number of PFC classes that the switch says it can do with those of the profile, and the MACsec "
        "bypass bits where MACsec is used.",
    .why = "One class silently stays lossy; with MACsec, pause frames count as corruption.",
    .next = "Use fewer lossless classes, or set the vendor's MACsec option.",
    .likely_causes = {"limit of the switch", "MACsec without bypass for pause"},
    .fix = {Recipe::Pfc, Recipe::Switch},
    .traps = {"The bits matter only while MACsec is in use."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

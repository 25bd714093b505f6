// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpDcbxVersionMismatch;
constinit const Rule kLldpDcbxVersionMismatch{
    .id = "lldp-dcbx-version-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Switch and host speak different versions of DCBX",
    .what =
        "Compares the version that the host uses with what the neighbour sends. Warning when one speaks IEEE and the "
        "other only CEE.",
    .why = "Neither takes over what the other announces, without a word.",
    .next = "Use IEEE on both ends.",
    .likely_causes = {"old default of the switch", "lldpad in CEE mode"},
    .fix = {Recipe::Lldp, Recipe::Switch},
    .traps = {"Some switches send both."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

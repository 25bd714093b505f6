// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpNeighborChanged;
constinit const Rule kLldpNeighborChanged{
    .id = "lldp-neighbor-changed",
    .family = "lldp",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kLldp,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "This port is now cabled to another switch port",
    .what =
        "Compares chassis and port of the neighbour with what was stored, for two of its announcements' lifetimes. "
        "Info; warning when the rail is wrong by that.",
    .why = "A cable moved; if nobody meant to, the rail is wrong.",
    .next = "Accept the new neighbour, or move the cable back.",
    .likely_causes = {"cables were moved", "switch was replaced"},
    .fix = {Recipe::Switch},
    .traps = {"Needs a stored past: the first neighbour is the baseline."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

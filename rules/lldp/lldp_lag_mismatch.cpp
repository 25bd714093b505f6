// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpLagMismatch;
constinit const Rule kLldpLagMismatch{
    .id = "lldp-lag-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kLldp,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "Only one end treats the link as part of a bond",
    .what =
        "Compares the aggregation that the switch announces with the host's bond, for at least a minute. Warning when "
        "one end aggregates and the other does not.",
    .why = "Flows are sent to a member that nobody listens on.",
    .next = "Make a bond on both ends, or on neither.",
    .likely_causes = {"port channel without a bond on the host", "bond without a port channel"},
    .fix = {Recipe::Switch},
    .traps = {"Teaming that does not depend on the switch must not be aggregated there at all."},
    .limits = {Limit{.name = "after_s",
                     .value = 60,
                     .unit = "seconds",
                     .min = 1,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "how long both must have been so"}},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kEcnCnpLost;
constinit const Rule kEcnCnpLost{
    .id = "ecn-cnp-lost",
    .family = "ecn",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kFabric,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "Congestion notifications are sent and never arrive",
    .what =
        "Compares the congestion notifications that all nodes sent with those that all nodes received, over five "
        "minutes. Warning when at least 1000 were sent, less than 80 % arrived, and all nodes reported.",
    .why = "Senders that never hear of congestion do not slow down: it spreads as pause, or becomes loss.",
    .next =
        "Give notifications their own DSCP and priority on every hop, in a strict queue, and look for a filter that "
        "drops them.",
    .likely_causes = {"notifications travel in a lossy, congested queue", "wrong DSCP or priority of notifications",
                      "a filter on the path"},
    .fix = {Recipe::Cnp, Recipe::Switch},
    .traps = {"Nodes that are not watched send and receive too.",
              "A NIC may merge notifications: fewer are sent, but none is lost by that.",
              "Some NICs count them wrongly."},
    .limits = {Limit{.name = "received_share",
                     .value = 0.8,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "notifications received per notification sent, below which they are lost"},
               Limit{.name = "sent",
                     .value = 1000,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "notifications sent in five minutes below which nothing is judged"}},
    .facts = {"dcqcn-needs-cnp", "nic-counter-defects"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

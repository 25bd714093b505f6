// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kFabricLinkFlapCluster;
constinit const Rule kFabricLinkFlapCluster{
    .id = "fabric-link-flap-cluster",
    .family = "fabric",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kLldp | kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Links of one switch flap together",
    .what =
        "Fires when at least three ports of one switch lost their link within a minute: info on the hosts, warning for "
        "the switch.",
    .why = "It is one event of the switch, not many of the nodes.",
    .next = "Look at the switch's log.",
    .likely_causes = {"switch restarted or upgraded", "line card", "power of the rack"},
    .fix = {Recipe::Switch},
    .traps = {"Planned maintenance looks the same.", "A rack that is switched off takes its links along.",
              "Needs reports of at least four nodes of the same role within five minutes."},
    .limits = {Limit{.name = "ports",
                     .value = 3,
                     .unit = "count",
                     .min = 2,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "ports of one switch"},
               Limit{.name = "within_s",
                     .value = 60,
                     .unit = "seconds",
                     .min = 1,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "time in which they lost their link"}},
    .facts = {"flap-limits-of-public-tools"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

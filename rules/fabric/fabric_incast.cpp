// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kFabricIncast;
constinit const Rule kFabricIncast{
    .id = "fabric-incast",
    .family = "fabric",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Many senders overload one receiver",
    .what =
        "Fires when one node receives at least 95 % of its line rate with many ECN marks while its senders are paused "
        "or told to slow down. Info, warning after ten minutes.",
    .why = "The link of that node is the bottleneck; its senders and their neighbours wait.",
    .next = "Spread the load, or accept it where that is the node's role.",
    .likely_causes = {"traffic pattern of the job", "storage target", "placement of jobs"},
    .fix = {Recipe::Switch},
    .traps = {"Storage targets live like that: told as info by role.",
              "Needs reports of at least four nodes of the same role within five minutes."},
    .limits = {Limit{.name = "load",
                     .value = 0.95,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "received share of the line rate"},
               Limit{.name = "lasting_s",
                     .value = 600,
                     .unit = "seconds",
                     .min = 1,
                     .max = 86400,
                     .evidence = 'D',
                     .help = "how long until it is a warning"}},
    .facts = {"pause-direction"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kFabricPauseSource;
constinit const Rule kFabricPauseSource{
    .id = "fabric-pause-source",
    .family = "fabric",
    .action = Action::Isolate,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kFabric,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Port,
    .title = "One node makes many others wait",
    .what =
        "Fires when many nodes are paused and one or few send at least five times the median pause: warning on those, "
        "info on the victims.",
    .why = "A slow receiver stops its senders and whoever shares their queues.",
    .next = "Look at that node: PCIe, IOMMU, NUMA, memory; take it out if it does not stop.",
    .likely_causes = {"degraded PCIe link of that node", "host too slow", "NIC that pauses without end"},
    .fix = {Recipe::Pcie, Recipe::Iommu},
    .traps = {"Where no node sends much pause, the congestion is in the switches: incast or oversubscription.",
              "Needs reports of at least four nodes of the same role within five minutes."},
    .limits = {Limit{.name = "factor",
                     .value = 5,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "pause sent, in medians of all nodes"}},
    .facts = {"pause-direction"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

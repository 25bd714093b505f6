// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kProbeLoopbackLow;
constinit const Rule kProbeLoopbackLow{
    .id = "probe-loopback-low",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The NIC is slow even to itself: a bottleneck inside the host",
    .what =
        "Measures RDMA from the NIC to local memory, on demand. Warning below 85 % of line rate and PCIe, or at twice "
        "the latency of a sibling NIC.",
    .why = "No network can make up for a host that cannot feed its NIC.",
    .next = "Look at PCIe, IOMMU, ACS and NUMA placement of this NIC.",
    .likely_causes = {"degraded PCIe link", "IOMMU translation", "ACS sends GPU traffic through the root",
                      "wrong NUMA node"},
    .fix = {Recipe::Pcie, Recipe::Iommu},
    .traps =
        {"Loopback takes PCIe twice: never during jobs.",
         "Needs a bandwidth test of a NIC against itself on demand, at a moment when no job runs. This version has "
         "none and does not know of jobs."},
    .limits = {Limit{.name = "share",
                     .value = 0.85,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of line rate and PCIe below which it is a warning"}},
    .facts = {"hostping"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

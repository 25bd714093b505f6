// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kProbeBandwidthLow;
constinit const Rule kProbeBandwidthLow{
    .id = "probe-bandwidth-low",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RDMA bandwidth to a peer is low",
    .what =
        "Measures RDMA writes on demand, with at least four queue pairs. Critical below 80 % of the line rate, warning "
        "below 92 %.",
    .why = "Jobs run at the speed of their slowest pair.",
    .next = "Look at PCIe width and speed of both ends first, then MTU, pause and the class's guaranteed bandwidth.",
    .likely_causes = {"degraded PCIe link", "small RoCE MTU", "guaranteed bandwidth of the class too small",
                      "congested path"},
    .fix = {Recipe::Pcie, Recipe::Mtu, Recipe::Ets},
    .traps =
        {"A busy link measures low.", "Where PCIe is the known limit, that rule is the cause.",
         "Needs a bandwidth test: writes over several queue pairs that fill the line for a bounded time, on demand. "
         "This version has none; its probes are single packets."},
    .limits = {Limit{.name = "crit",
                     .value = 0.8,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'P',
                     .help = "share of the line rate below which it is critical"},
               Limit{.name = "warn",
                     .value = 0.92,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the line rate below which it is a warning"}},
    .facts = {"rpingmesh"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

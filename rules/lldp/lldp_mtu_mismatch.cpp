// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpMtuMismatch;
constinit const Rule kLldpMtuMismatch{
    .id = "lldp-mtu-mismatch",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kLldp | kProbe,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "The switch announces a smaller MTU than the host uses",
    .what =
        "Compares the maximum frame size that the switch announces with the host's MTU and headers. Warning; critical "
        "when a probe or oversize drops confirm it.",
    .why = "Large RDMA messages are dropped while small ones pass.",
    .next = "Set 9216 on the switch.",
    .likely_causes = {"default MTU on the switch port"},
    .fix = {Recipe::Mtu, Recipe::Switch},
    .traps = {"Many switches announce a default whatever they do."},
    .facts = {"lldp-tlvs", "kernel-roce-mtu"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

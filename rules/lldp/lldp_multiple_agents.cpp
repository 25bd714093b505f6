// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

namespace roceready::rules {

extern const Rule kLldpMultipleAgents;
constinit const Rule kLldpMultipleAgents{
    .id = "lldp-multiple-agents",
    .family = "lldp",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic | kLldp,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "Firmware and host both run DCBX on one port",
    .what =
        "Looks for an active agent in the NIC's firmware beside one on the host, and for announcements from two "
        "sources. Warning when both speak DCBX.",
    .why = "They overwrite each other's settings; the last one to speak wins.",
    .next = "Run exactly one of them.",
    .likely_causes = {"firmware agent on by default", "lldpad installed with a meta package"},
    .fix = {Recipe::Lldp, Recipe::Switch},
    .traps = {"lldpd for discovery alone is harmless."},
    .facts = {"lldp-tlvs"},
    .status = Status::Planned,
};

}  // namespace roceready::rules

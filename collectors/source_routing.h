// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "collectors/attributes.h"
#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// struct fib_rule_hdr and attributes; nothing where the rule leads to no table, or looks neither at the source nor at
/// the outgoing netdev.
[[nodiscard]] std::optional<PolicyRule> parse_rule(ByteSpan message);
[[nodiscard]] Reading<std::vector<PolicyRule>> read_policy_rules(Host& host);
/// Settings of the netdevs of ports in scope that have routable IPv4 addresses; of none where there are fewer than two.
[[nodiscard]] Reading<std::vector<Ipv4Settings>> read_ipv4_settings(Files& files, const Snapshot& snapshot);

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/snapshot/probe.h"

namespace prometheus {
struct MetricFamily;
}

namespace roceready::daemon {

/// What probes found: round trips as one histogram a port and kind, few series a peer, what probing costs.
/// Limits: kMostProbedPeers peers a port have series of their own; how many have none is a series too.
inline constexpr std::size_t kMostProbedPeers = 128;
void add_probes(std::vector<prometheus::MetricFamily>& out, const ProbeFacts& probes);

}  // namespace roceready::daemon

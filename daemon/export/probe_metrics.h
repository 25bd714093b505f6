// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/snapshot/probe.h"

namespace prometheus {
struct MetricFamily;
}

namespace roceready::daemon {

/// What probes found: round trips as one histogram a port and kind, few series a peer, what probing costs.
/// Limits: kMostProbedPeers peers a port, by each kind of probe, have series of their own, datagrams before
/// connections; how many have none is a series too.
inline constexpr std::size_t kMostProbedPeers = 128;
void add_probes(std::vector<prometheus::MetricFamily>& out, const ProbeFacts& probes);

/// What this process was sent as probes or answers and did not take, since probing began, by reason (probes/reasons.h).
struct ProbeRefusals {
  using Counts = std::map<std::string, std::uint64_t>;
  std::optional<Counts> replies, answers;    ///< refused, discarded for impossible times; absent: nothing is probed
  std::optional<Counts> probes;              ///< refused by who answers; absent: nobody is answered
  std::optional<std::uint64_t> connections;  ///< by the RDMA connection manager; absent as `probes`
};
void add_probe_refusals(std::vector<prometheus::MetricFamily>& out, const ProbeRefusals& refused);

}  // namespace roceready::daemon

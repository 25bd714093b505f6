// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/port_traffic.h"

namespace roceready::rules {

inline constexpr double kAstrayWindowSeconds = 60;

/// RDMA packets that left the port in the last minute. The NIC counts RDMA packets per function, those among them that
/// it loops back inside included, which no priority of the port ever sees. Absent where these cannot be told.
[[nodiscard]] inline Reading<Increase> packets_that_left(const Evidence& seen) {
  constexpr double kWellCovered = 0.9;  // of the time in which packets were counted
  Reading<Increase> sent = port_increase(seen, CounterId::RdmaTxPackets, kAstrayWindowSeconds);
  if (!sent) return sent;
  const bool of_functions = !seen.counter(CounterId::RdmaTxPackets);
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    const bool loops = member != nullptr && member->counters.can_show(CounterId::VportLoopbackPackets);
    if (!loops && !of_functions) continue;
    if (!loops) return Absent{Why::NotSupported, "packets that stay inside the NIC are not counted"};
    const Reading<Increase> inside =
        seen.history().increase(name, CounterId::VportLoopbackPackets, kNoLane, kAstrayWindowSeconds);
    if (!inside) return inside;
    if (inside->seconds < sent->seconds * kWellCovered) return Absent{Why::NotRecorded, "loopback was seen too rarely"};
    sent->amount = std::max(0.0, sent->amount - inside->amount);
  }
  return sent;
}

/// Share of the RDMA packets sent that cannot have left on the RoCE priority.
struct Astray {
  double share = 0, packets = 0, seconds = 0;
};
/// Nothing where counters or traffic are too few, or where the NIC itself does not put RoCE's DSCP on the profile's
/// priority on every member: then its own trust or map explains it (qos-trust-pcp, qos-dscp-map).
[[nodiscard]] inline std::optional<Astray> packets_astray(const Evidence& seen, double min_packets) {
  const Profile& profile = *seen.profile();
  const auto& members = seen.port().members;
  const bool classifies = !members.empty() && std::all_of(members.begin(), members.end(), [&](const std::string& name) {
    const Netdev* member = seen.now().netdev(name);
    if (member == nullptr || !member->dcb.trust || *member->dcb.trust != "dscp") return false;
    const auto& map = member->dcb.dscp_to_priority;
    return map && profile.roce_dscp < map->size() && (*map)[profile.roce_dscp] == profile.roce_priority;
  });
  if (!classifies) return std::nullopt;
  const Reading<Increase> sent = packets_that_left(seen);
  const Reading<Increase> on_priority =
      port_increase(seen, CounterId::TxPacketsPriority, kAstrayWindowSeconds, profile.roce_priority);
  if (!sent || !on_priority || sent->amount < min_packets) return std::nullopt;
  return Astray{1 - std::min(1.0, on_priority->amount / sent->amount), sent->amount, sent->seconds};
}

}  // namespace roceready::rules

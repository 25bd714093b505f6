// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "rules/rule.h"

namespace roceready::rules {

/// Growth of a counter over a whole port: of its RDMA side where that counts it, else summed over its members (mlx5
/// counts RDMA packets of a function among the statistics of the netdev). Absent when one of the parts is.
[[nodiscard]] inline Reading<Increase> port_increase(const Evidence& seen, CounterId id, double seconds,
                                                     std::uint8_t lane = kNoLane, double ago = 0) {
  Reading<Increase> own = seen.increase(id, seconds, lane, ago);
  if (own || seen.has_member() || seen.port().members.empty()) return own;
  Increase sum;
  for (const std::string& member : seen.port().members) {
    const Reading<Increase> part = seen.history().increase(member, id, lane, seconds, ago);
    if (!part) return part;
    sum.amount += part->amount;
    sum.seconds = sum.seconds > 0 ? std::min(sum.seconds, part->seconds) : part->seconds;
  }
  return sum;
}

/// Windows of `events` as shares of the RDMA packets that the port sent meanwhile. The amount of each is events ÷
/// packets, its seconds are 1; windows with fewer than `min_packets` packets are 0: too little traffic to speak of a
/// share.
[[nodiscard]] inline Windows share_of_packets_sent(const Evidence& seen, const Windows& events, double min_packets) {
  const auto share = [&](const Increase& window, double ago) {
    if (window.amount <= 0) return Increase{0, 1};
    const Reading<Increase> sent = port_increase(seen, CounterId::RdmaTxPackets, events.length_seconds, kNoLane, ago);
    if (!sent || sent->amount < min_packets) return Increase{0, 1};
    return Increase{window.amount / sent->amount, 1};
  };
  Windows out{events.length_seconds, {}, share(events.latest, 0)};
  for (std::size_t i = 0; i < events.complete.size(); ++i) {
    out.complete.push_back(share(events.complete[i], events.ago[i]));
    out.ago.push_back(events.ago[i]);
  }
  return out;
}

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/peer_digests.h"

namespace roceready::rules {

/// A port of this node or of a peer, as its node tells of it.
struct FabricPort {
  std::string node;                             ///< as configured; "" for this node
  std::string label;                            ///< of its top-of-rack switch; "" where none is configured
  const PortDigest* port = nullptr;             ///< lives as long as the evidence
  std::optional<double> carrier_lost_ago = {};  ///< seconds since a peer's port was seen to have lost its carrier
};

/// What this node tells of this port, and peers of its role of theirs (peer_digests.h).
struct FabricPorts {
  FabricPort own;
  std::vector<FabricPort> peers;
  /// Of these ports, by label.
  [[nodiscard]] std::vector<FabricPort> under(const std::string& label) const;      ///< peers' with this label
  [[nodiscard]] std::vector<FabricPort> elsewhere(const std::string& label) const;  ///< with another; none without
};
/// Nothing where there is nothing to compare: why was written.
[[nodiscard]] std::optional<FabricPorts> fabric_ports(const Evidence& seen, Outcomes& out);
/// The same where this node's switch is known: else that was written.
[[nodiscard]] std::optional<FabricPorts> labelled_ports(const Evidence& seen, Outcomes& out);

/// Ends a rule on something of its own that this node does not tell: later where it is too early to know, not looked at
/// where the driver never shows it, else unknown. `what` as in "for how long it was paused".
void cannot_tell(Outcomes& out, const Absent& absent, const std::string& what);

/// Nodes of these ports, sorted; this node is "this node".
[[nodiscard]] std::vector<std::string> nodes_of(const std::vector<FabricPort>& ports);

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// A port of a peer that one of ours is compared with.
struct PeerPort {
  const PeerDigest* peer = nullptr;
  const PortDigest* port = nullptr;
};

/// What peers of this node's role said of themselves in the last five minutes. Of each peer those ports are compared
/// that ours probes; where it probes none, those of the same rail, else all.
struct PeerPorts {
  PortDigest own;
  std::vector<PeerPort> ports;
  std::vector<std::string> names;  ///< of the peers, sorted
  /// Nodes that can be compared, this one included.
  [[nodiscard]] std::size_t nodes() const { return names.size() + 1; }
  /// Leaves those that satisfy the test.
  [[nodiscard]] PeerPorts where(const std::function<bool(const PeerPort&)>& test) const;
};
/// Nothing where no peer told anything: why was written.
[[nodiscard]] std::optional<PeerPorts> peer_ports(const Evidence& seen, Outcomes& out);
/// Writes that fewer nodes than needed told their facts.
void too_few_nodes(Outcomes& out, const PeerPorts& peers, double needed);
/// Writes that no peer says the thing, so that nothing was compared.
void nothing_told(Outcomes& out, const PeerPorts& peers, const std::string& what);

/// What a port says of one thing, in words that are equal where the facts are.
using Fact = std::function<Reading<std::string>(const PortDigest&)>;

/// How the peers' words on one thing stand to ours. Ports that do not say are left out.
struct Vote {
  std::string own;
  std::string theirs;            ///< the most frequent of the peers' words
  std::size_t agreed = 0;        ///< of the peers' ports: those that say `theirs`
  std::size_t differ = 0;        ///< those that say something other than we do
  std::size_t total = 0;         ///< that say anything; 0: nothing was compared
  std::size_t nodes = 1;         ///< whose ports say anything, this one included
  std::vector<std::string> odd;  ///< peers that differ from us, sorted
  /// Enough of them agree on something else.
  [[nodiscard]] bool outvoted(double majority) const {
    return total > 0 && theirs != own && static_cast<double>(agreed) >= majority * static_cast<double>(total);
  }
};
/// Absent where we do not know our own.
[[nodiscard]] Reading<Vote> vote_on(const PeerPorts& peers, const Fact& fact);
/// "a, b and 3 more": at most eight names.
[[nodiscard]] std::string some_of(const std::vector<std::string>& names);

}  // namespace roceready::rules

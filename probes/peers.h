// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace roceready::probes {

inline constexpr std::uint16_t kDefaultPort = 9885;
inline constexpr std::size_t kMostPeers = 100'000;

/// Where a peer's control channel listens.
struct PeerAddress {
  std::string host;  ///< IP address in canonical form, or a host name in lower case without a final dot
  std::uint16_t port = kDefaultPort;
  std::string rail, label;  ///< labels `rail` and `tor` of a file_sd group, else ""
  /// "node17:9885", "[2001:db8::7]:9885": the peer's name everywhere, and its id in subsets.
  [[nodiscard]] std::string text() const;
  bool operator==(const PeerAddress&) const = default;
};

/// An entry that was not taken, or not as it stands.
struct PeerProblem {
  std::string where;  ///< "probes.peers[3]", "/etc/peers.json [0].targets[2]"
  std::string what;   ///< "has no host in front of the port"
};

/// Peers and what was wrong with their sources.
struct PeerList {
  std::vector<PeerAddress> peers;
  std::vector<PeerProblem> problems;  ///< the first 100
  std::size_t problem_count = 0;      ///< all
  std::vector<std::string> own;       ///< text() of the entries that were ourselves, see merge_peers
  void problem(std::string where, std::string what);
};

/// `host`, `host:port`, `[v6]:port`, `v6`. Malformed with what is wrong.
[[nodiscard]] Result<PeerAddress> parse_peer(std::string_view text);

/// Entries of a configured list; `where` names it.
[[nodiscard]] PeerList peers_from_list(const std::vector<std::string>& entries, const std::string& where);
/// A Prometheus file_sd file, JSON or YAML: a list of {targets: [...], labels: {...}}. A file that cannot be read as
/// such has no peers and one problem; a bad entry costs that entry. At most 16 MiB.
[[nodiscard]] PeerList peers_from_file_sd(std::string_view text, const std::string& file);
/// Addresses (textual) that DNS gave for `name`, all with `port`. None: a problem. Of both families only one is taken,
/// since a node that has both would be two peers: IPv4, unless there are more than twice as many addresses of IPv6.
/// Where their numbers differ, that is a problem too: some nodes may have addresses of the other family alone.
[[nodiscard]] PeerList peers_from_dns(const std::string& name, std::uint16_t port,
                                      const std::vector<std::string>& addresses);

/// What names this node: its host names and IP addresses, textual, and the port it listens on.
struct OwnNames {
  std::vector<std::string> hosts;
  std::uint16_t port = kDefaultPort;
};
/// All lists as one, sorted by text() and each peer once (the first to name it wins; a later one may add a label, and
/// another label is a problem), without ourselves, at most kMostPeers. A peer named by name and by address stays two.
[[nodiscard]] PeerList merge_peers(const std::vector<PeerList>& lists, const OwnNames& own);

}  // namespace roceready::probes

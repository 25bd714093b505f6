// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace roceready::probes {

/// A node as the choice of peers sees it.
struct SubsetNode {
  std::uint64_t id = 0;     ///< subset_id of its name
  std::uint64_t label = 0;  ///< subset_id of its top-of-rack label, 0: none is known
};
/// 64-bit hash of a name, the same on every node and version; 0 for "".
[[nodiscard]] std::uint64_t subset_id(std::string_view name);

inline constexpr std::size_t kSubsetPeers = 64;

/// Which of `peers` (without ourselves, ids distinct) this node probes: indexes into `peers`, rising, at most `most`.
/// All where there are no more than that. Else by rendezvous hashing [Thaler, Ravishankar 1998]: of each class the
/// peers with the highest hash of both ids.
/// - Classes: half of `most` inside the own label, the rest outside; without a label all are outside. Who has few
///   neighbours inside takes more from outside. Where more than half of all nodes share our label, fewer go outside
///   (a share below one is drawn by the own id), so that a small rack beside a large one is not flooded.
/// - Coverage and load, if all nodes have one list: a peer is in the subset of `most` / 2 nodes or more, and of 1.5 ×
///   `most` or fewer, in the mean; for any single one with `most` 64 and up to 10 000 nodes at least 3 and at most
///   2.5 × 64 (tested).
/// - A peer that comes or goes changes one pick in each class, and only of the nodes that have it.
/// Cost: one hash and one comparison a peer; about 0.1 ms for 10 000.
[[nodiscard]] std::vector<std::uint32_t> choose_subset(const SubsetNode& self, std::span<const SubsetNode> peers,
                                                       std::size_t most = kSubsetPeers);

}  // namespace roceready::probes

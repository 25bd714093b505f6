// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/snapshot/probe.h"
#include "probes/window_statistics.h"

namespace roceready::probes {

/// What outlives a mesh of the round trips that its links learned: so many links, and for so long since the newest
/// minute that taught one.
inline constexpr std::size_t kMostBaselines = 4096;
inline constexpr std::int64_t kNeverLearnedNs = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kBaselineAgeNs = std::int64_t{7} * 86'400 * 1'000'000'000;

/// Of a port, what its round trips depend on and its node tells; absent: not known.
struct PortTerms {
  std::optional<std::uint64_t> speed_bits_per_second;
  std::optional<std::uint32_t> active_mtu;  ///< bytes
  std::optional<std::string> firmware;
  bool operator==(const PortTerms&) const = default;
};
[[nodiscard]] PortTerms port_terms(const NodeDigest& node, const std::string& device, std::uint32_t port);

/// Between what, and how, round trips were measured. A baseline says nothing of others.
struct BaselineTerms {
  std::string own_address, peer_address;  ///< IP of the GIDs
  PortTerms own, peer;
  std::uint32_t paths = 1, size = 0;  ///< payload bytes of small probes
  std::int64_t interval_ns = 0;       ///< between two probes
  std::uint8_t traffic_class = 0, service_level = 0;
  bool nic_clock = false;  ///< by the NIC's completion timestamps
  bool operator==(const BaselineTerms&) const = default;
};
/// Whether a baseline of `kept` is one of `now`: all is the same, as far as both know it.
[[nodiscard]] bool holds_for(const BaselineTerms& kept, const BaselineTerms& now);
/// `now` with what only `before` knew of the ports.
[[nodiscard]] BaselineTerms completed(BaselineTerms now, const BaselineTerms& before);

/// What one kind of probe from a port of ours to a port of a peer learned.
struct LinkBaseline {
  std::string own;        ///< "mlx5_0/1"
  std::string peer;       ///< as configured: "node17:9885"
  std::string peer_port;  ///< "mlx5_0/1"
  std::string kind;       ///< "ud", "rc-write" …
  BaselineTerms terms;
  LearnedBaselines learned;
  /// Of the newest minute; kNeverLearnedNs where nothing was learned.
  [[nodiscard]] std::int64_t learned_ns() const;
  /// Of the link: a newer one with this name replaces an older.
  [[nodiscard]] std::string name() const { return own + " " + peer + " " + peer_port + " " + kind; }
  bool operator==(const LinkBaseline&) const = default;
};

}  // namespace roceready::probes

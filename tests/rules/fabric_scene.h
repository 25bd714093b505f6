// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/rules/mesh.h"

namespace roceready::rules_test {

/// What this node told its peers of mlx5_0/1.
inline PortDigest& own_digest(Scene& scene) {
  NodeDigest& own = probes(scene).own;
  if (own.ports.empty()) {
    own.profile = "nvidia-lossless";
    own.ports.emplace_back().device = "mlx5_0";
  }
  return own.ports.front();
}

inline void calm(PortDigest& port) {
  port.findings = std::map<std::string, std::string>{};
  port.rx_pause_share = port.tx_pause_share = port.rx_line_share = 0.0;
  port.carrier_losses = std::uint64_t{3};
}

/// This node and `count` peers, node1:9885 on, with nothing to complain of.
inline void calm_fabric(Scene& scene, std::size_t count) {
  calm(own_digest(scene));
  add_digests(scene, count);
  for (std::size_t k = 0; k < count; ++k) calm(digest(scene, k));
}

/// This node and the first `inside` peers are under leaf-a, the others under leaf-b.
inline void label(Scene& scene, std::size_t inside) {
  probes(scene).own.label = "leaf-a";
  for (std::size_t k = 0; k < probes(scene).digests.size(); ++k)
    probes(scene).digests[k].digest.label = k < inside ? "leaf-a" : "leaf-b";
}

}  // namespace roceready::rules_test

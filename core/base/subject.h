// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roceready {

/// What a statement is about. Node: all empty. Port: device and port. Member: also the physical netdev.
/// Fields are added from coarse to fine; `path` is for probes.
struct Subject {
  std::string device;                    ///< RDMA device, "mlx5_0"; empty for the node or a netdev without RDMA device
  std::uint32_t port = 0;                ///< 1-based RDMA port; 0 where device is empty
  std::string netdev;                    ///< netdev of the port, or the physical member judged
  std::string member;                    ///< physical netdev, only where the port has more than one
  std::optional<std::uint8_t> priority;  ///< IEEE 802.1p priority 0–7
  std::optional<std::string> peer;
  std::optional<std::string> path;

  bool operator==(const Subject&) const = default;
  /// `mlx5_0/1`, `mlx5_bond_0/1+eth2:3`, `node`: the part of a finding's key behind the @.
  [[nodiscard]] std::string key() const;
};

}  // namespace roceready

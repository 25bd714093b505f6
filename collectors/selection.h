// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roceready {

struct RdmaPort;

/// What the user wants looked at. Patterns (* and ?) name an RDMA device ("mlx5_0"), one of its ports ("mlx5_0/1") or a
/// netdev; in include and expected a PCI address too.
struct Selection {
  std::vector<std::string> include;   ///< in scope whatever the port is; takes nothing else out of scope
  std::vector<std::string> exclude;   ///< never touched: no question names them beyond the list that gave the name
  std::vector<std::string> expected;  ///< in scope, and must be there
  std::uint32_t max_virtual_functions = 32;                                ///< listed at most, all devices together
  std::vector<std::string> rdma_units{"slurmd", "kubelet", "containerd"};  ///< systemd units, with or without .service

  /// The whole device is excluded: by its name or all its ports ("mlx5_0/*").
  [[nodiscard]] bool excludes_device(const std::string& device) const;
  [[nodiscard]] bool excludes_port(const std::string& device, std::uint32_t port) const;
  [[nodiscard]] bool excludes_netdev(const std::string& netdev) const;
  /// The same of a port that was seen earlier: by its name, its netdev or a member. Under RoCE LAG the kernel may have
  /// named any of the members as its netdev.
  [[nodiscard]] bool excludes(const RdmaPort& port) const;
  /// Named in include or expected. `netdev` and `pci` (the address of the function) may be empty.
  [[nodiscard]] bool names(const std::string& device, std::uint32_t port, const std::string& netdev,
                           const std::string& pci = "") const;
};

/// Whether a pattern of the user means this port.
[[nodiscard]] bool pattern_means(const std::string& pattern, const std::string& device, std::uint32_t port,
                                 const std::string& netdev, const std::string& pci = "");

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/doubles/mlx5_host.h"

/// The bytes of single answers of a made-up host, each as the kernel would send it (attributes only, where netlink).
namespace roceready::doubles {

[[nodiscard]] std::string driver_info(const Mlx5Member& member);
[[nodiscard]] std::string statistics_names(const std::vector<std::string>& names);
[[nodiscard]] std::string statistics_values(const std::vector<std::uint64_t>& values);
[[nodiscard]] std::string link_info(const Mlx5Member& member);
[[nodiscard]] std::string link_modes(const Mlx5Member& member);
[[nodiscard]] std::string link_state(const Mlx5Member& member);
[[nodiscard]] std::string rings(const Mlx5Member& member);
[[nodiscard]] std::string pause(const Mlx5Member& member, std::size_t sample);
[[nodiscard]] std::string fec(const Mlx5Member& member, std::size_t sample);
/// PFC counts are the driver's cache of the last statistics read.
[[nodiscard]] std::string dcb_ieee(const Mlx5Member& member, std::size_t sample);
[[nodiscard]] std::string dcb_dcbx(const Mlx5Member& member);

/// What RTM_GETLINK says of a netdev; empty texts and zero indexes are left out.
struct LinkMessage {
  std::string name;
  std::uint32_t index = 1, master = 0, mtu = 1500, carrier_downs = 0;
  std::uint16_t hardware = 1;  ///< ARPHRD_ETHER; 772 loopback, 32 InfiniBand
  bool admin_up = true, carrier = true;
  std::string physical_port, pci, kind;
  std::string mac = "02:00:00:00:00:01";
  bool bond = false;  ///< it is one
  std::uint8_t bond_mode = 4;
};
[[nodiscard]] std::string link_message(const LinkMessage& link);
/// IPv4 with its label, or IPv6.
[[nodiscard]] std::string address_message(std::uint32_t index, const std::string& address, std::uint8_t prefix,
                                          const std::string& netdev);
[[nodiscard]] std::string link_local_address(const std::string& mac);

[[nodiscard]] std::string rdma_device(std::uint32_t index, const Mlx5Device& device, const std::string& firmware,
                                      const std::string& protocol = "roce");
[[nodiscard]] std::string rdma_port(std::uint32_t index, const Mlx5Device& device, std::uint32_t netdev_index);
[[nodiscard]] std::string rdma_statistics(std::uint32_t index, const std::string& device,
                                          const std::vector<std::pair<std::string, std::uint64_t>>& counters);
[[nodiscard]] std::string port_attributes(const Mlx5Device& device, std::uint32_t netdev_mtu);
[[nodiscard]] std::string gid_table(const std::vector<Gid>& gids, std::uint32_t netdev_index);

/// 4096 bytes with PCI Express, AER and SR-IOV capabilities.
[[nodiscard]] std::string pci_configuration(std::uint16_t vendor, std::uint16_t device, bool bridge,
                                            std::uint32_t max_read_request);

}  // namespace roceready::doubles

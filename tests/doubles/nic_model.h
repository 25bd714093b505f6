// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roceready::doubles {

struct Mlx5Host;

/// What a vendor decides of a made-up host. Mlx5Member::nic points to one; without one the member is a ConnectX-7.
/// Names of counters are the drivers' own, from tests/collectors/vendors/names.
struct NicModel {
  std::string driver;         ///< of the netdev, as ETHTOOL_GDRVINFO has it
  std::string pci_driver;     ///< of the PCI function
  std::string rdma_module;    ///< "bnxt_re"
  std::string device_prefix;  ///< "bnxt_re" makes bnxt_re0
  std::string firmware;
  std::uint16_t pci_vendor = 0, pci_device = 0;
  std::uint32_t speed_mbit = 100'000, lanes = 4;
  std::vector<std::uint32_t> link_modes;  ///< advertised, numbers of linux/ethtool.h
  std::string statistics;                 ///< list of names of its ethtool statistics
  std::string hardware;                   ///< of the port's hw_counters; empty: none
  std::string device_hardware;            ///< of the device's hw_counters; empty: none
  std::string protocol = "roce";          ///< as RDMA netlink says; "": it says none, and the link layer is unspecified
  bool netdev_named = true;               ///< the kernel names the netdev of the RDMA port
  bool dcb = true;                        ///< the driver has IEEE DCB at all
  std::uint8_t dcbx = 0x09;               ///< host, IEEE
  bool fec_shown = true;                  ///< else the driver has no FEC question
  bool pause_counts = false, fec = true, fec_counts = false, down_count = false;

  [[nodiscard]] std::vector<std::string> names(const std::string& list) const;
};

[[nodiscard]] const NicModel& thor2();        ///< Broadcom BCM57608, Linux 6.18
[[nodiscard]] const NicModel& e810();         ///< Intel E810 with irdma's second generation
[[nodiscard]] const NicModel& x722();         ///< Intel X722: iWARP
[[nodiscard]] const NicModel& kunpeng920b();  ///< HiSilicon HIP09
[[nodiscard]] const NicModel& pollara();      ///< AMD Pensando Pollara 400
[[nodiscard]] const NicModel& ql41000();      ///< Marvell FastLinQ
[[nodiscard]] const NicModel& mana();         ///< Microsoft Azure's adapter, as a virtual machine sees it
[[nodiscard]] const NicModel& connectx3();    ///< Mellanox ConnectX-3 Pro
[[nodiscard]] const NicModel& erdma();        ///< Alibaba's elastic RDMA in a virtual machine: iWARP
[[nodiscard]] const NicModel& efa();          ///< Amazon's elastic fabric adapter: no Ethernet
[[nodiscard]] const NicModel& t6();           ///< Chelsio T6: iWARP

/// `count` healthy ports of one model with PFC on priority 3, RDMA traffic on it, and counters that have seen years.
[[nodiscard]] Mlx5Host healthy_host_of(const NicModel& nic, std::size_t count = 2);

}  // namespace roceready::doubles

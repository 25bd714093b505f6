// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/host/recording.h"
#include "tests/doubles/nic_model.h"

/// A made-up Linux host with mlx5 ports (or those of another NicModel), described by what an administrator would say of
/// it and turned into the bytes that the kernel (6.18) and its driver would answer. Documented names and layouts, no
/// measured values.
namespace roceready::doubles {

/// Names to numbers; names that a driver does not have at the moment are ignored.
using Numbers = std::map<std::string, std::uint64_t>;

/// A counter set over the samples: value = start + growth of each sample up to this one.
struct CounterTrack {
  Numbers start;
  Numbers per_sample;
  std::map<std::size_t, Numbers> in_sample;  ///< growth that reaches this sample, in the place of per_sample
  [[nodiscard]] std::uint64_t value(const std::string& name, std::size_t sample) const;
};

/// One physical port's netdev and its PCI function.
struct Mlx5Member {
  const NicModel* nic = nullptr;  ///< another vendor's; null: ConnectX-7
  std::string netdev = "enp59s0np0";
  std::uint32_t index = 4;
  std::string pci = "0000:3b:00.0";
  std::string bridge = "0000:3a:01.0";  ///< root port above
  std::string physical_port = "p0";
  std::string mac = "b8:ce:f6:10:20:30";
  std::string firmware = "28.43.2026 (MT_0000000838)";
  std::string address = "10.10.0.11";  ///< IPv4 with /24; empty: none
  std::uint32_t mtu = 9000;
  bool carrier = true, admin_up = true;
  std::optional<std::pair<std::uint8_t, std::uint8_t>> down_reason;  ///< extended state and substate
  std::uint32_t carrier_downs = 2;
  std::uint32_t speed_mbit = 400000, lanes = 4;
  bool fec = true;
  std::uint8_t pfc = 1U << 3;                 ///< bit n: priority n
  bool trust_dscp = true;                     ///< the driver then shows all 64 DSCP in the APP table
  std::map<std::uint8_t, std::uint8_t> dscp;  ///< mlx5: beyond the default map, DSCP / 8; others: all there is
  bool pause_rx = false, pause_tx = false;    ///< 802.3x
  std::uint32_t pcie_width = 16, pcie_max_width = 16;
  std::string pcie_speed = "32.0 GT/s PCIe", pcie_max_speed = "32.0 GT/s PCIe";
  std::uint32_t max_read_request = 4096;
  std::optional<std::string> iommu_group_type = "identity";
  std::int64_t numa_node = 0;
  std::optional<std::int64_t> interrupts_on_node;  ///< NUMA node whose CPUs handle the interrupts; default: its own
  unsigned channels = 1;
  CounterTrack statistics;
  std::vector<std::string> extra_statistics;  ///< raw names (up to 32 bytes) behind the driver's own
  std::uint64_t fec_corrected = 0, fec_corrected_per_sample = 0;  ///< blocks

  /// RDMA and a little TCP in both directions, on one priority; no loss, little pause.
  void add_traffic(std::uint8_t priority, std::uint64_t bytes_per_second, double seconds_before);
};

struct Gid {
  std::string address;  ///< IPv6 notation
  bool v2 = true;
};

/// One RDMA device with one port.
struct Mlx5Device {
  std::string name = "mlx5_0";
  std::string pci = "0000:3b:00.0";
  std::string netdev = "enp59s0np0";  ///< empty: the kernel names none
  std::uint8_t state = 4, physical_state = 5;
  bool infiniband = false;               ///< link layer
  bool unspecified = false;              ///< link layer of a device that is neither
  std::optional<std::vector<Gid>> gids;  ///< default: link-local and IPv4, each v1 and v2
  CounterTrack hardware;
  void add_traffic(double seconds_before);
};

struct Bond {
  std::string name = "bond0";
  std::uint32_t index = 20;
  std::uint8_t mode = 4;  ///< 802.3ad
  std::string address = "10.10.0.11";
};

struct Mlx5Host {
  std::string name = "gpu017", kernel = "6.18.2-amd64",
              command_line = "BOOT_IMAGE=/vmlinuz-6.18.2-amd64 ro quiet iommu=pt";
  double uptime_seconds = 41.3 * 86400;
  std::int64_t start_wall_ns = 1767225600000000000;  ///< 2026-01-01
  std::size_t samples = 4;                           ///< a second apart
  bool privileged = true;                            ///< else 64 bytes of PCI configuration space
  bool rdma_loaded = true;                           ///< else no /sys/class/infiniband
  bool numa_balancing = false;
  bool slurmd = true;                              ///< runs, with unlimited locked memory
  bool port_counters = false;                      ///< sysfs counters/ (PMA) as well, which mlx5 has
  bool hardware_counter_files = false;             ///< sysfs hw_counters/ as well as RDMA netlink
  std::optional<std::uint32_t> rdma_cm_tos = 106;  ///< somebody made the view in configfs, and this is set
  std::uint32_t virtual_functions = 0;             ///< of the first member, each with netdev and RDMA device
  std::vector<Mlx5Member> members;
  std::vector<Mlx5Device> devices;
  std::optional<Bond> bond;                                ///< over all members
  std::vector<std::pair<std::string, std::string>> files;  ///< more files, or other contents: path and text
  std::map<std::string, int> refuse;                       ///< key of an answer → errno, in all samples
  std::set<std::string> remove;                            ///< keys that nobody asked
  std::vector<std::string> more_links;                     ///< names of further netdevs without address, any bytes

  [[nodiscard]] Recording build() const;
};

/// `count` healthy ports mlx5_0, mlx5_1 … of as many ConnectX-7 cards, 400 Gb/s, PFC on priority 3, trust DSCP, RDMA
/// traffic on priority 3. At most 16.
[[nodiscard]] Mlx5Host healthy_mlx5_host(std::size_t count = 2);

}  // namespace roceready::doubles

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "core/base/time.h"
#include "core/counters/counter.h"
#include "core/snapshot/burst.h"
#include "core/snapshot/dcb.h"
#include "core/snapshot/ethtool.h"
#include "core/snapshot/link.h"
#include "core/snapshot/log.h"
#include "core/snapshot/pci.h"
#include "core/snapshot/probe.h"
#include "core/snapshot/rdma.h"

namespace roceready {

/// Identity of the node.
struct NodeFacts {
  Reading<std::string> hostname, kernel;
  Reading<std::string> boot_id_hash;  ///< 16 hexadecimal digits, changes with each boot, does not give the boot id away
  Reading<double> uptime_seconds;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("hostname", self.hostname);
    visit("kernel", self.kernel);
    visit("boot_id_hash", self.boot_id_hash);
    visit("uptime_seconds", self.uptime_seconds);
  }
};

/// Locked-memory limit of one systemd unit that runs RDMA programs.
struct MemlockLimit {
  std::string unit;              ///< "slurmd.service"
  Reading<std::uint64_t> bytes;  ///< UINT64_MAX: unlimited
  std::string source;            ///< path that said so
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("unit", self.unit);
    visit("bytes", self.bytes);
    visit("source", self.source);
  }
};

/// A loaded kernel module of the RDMA stack.
struct ModuleBuild {
  std::string name;
  Reading<bool> out_of_tree;     ///< taint flag O: built outside of the kernel that runs
  Reading<std::string> version;  ///< of an out-of-tree module that states one
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("name", self.name);
    visit("out_of_tree", self.out_of_tree);
    visit("version", self.version);
  }
};

/// Where the interrupts of a NIC's PCI function are handled: of those looked at, how many on CPUs of its own NUMA node.
struct InterruptPlacement {
  std::uint32_t looked_at = 0, local = 0;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("looked_at", self.looked_at);
    visit("local", self.local);
  }
};
struct NicInterrupts {
  std::string pci_address;
  Reading<InterruptPlacement> placement;  ///< NotSupported: the platform names no NUMA node for the function
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("pci_address", self.pci_address);
    visit("placement", self.placement);
  }
};

/// IPv4 settings in force on a netdev: the greater of its own and those of "all", as the kernel takes them.
struct Ipv4Settings {
  std::string netdev;
  Reading<std::uint32_t> arp_ignore, arp_announce, rp_filter;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("netdev", self.netdev);
    visit("arp_ignore", self.arp_ignore);
    visit("arp_announce", self.arp_announce);
    visit("rp_filter", self.rp_filter);
  }
};

/// An IPv4 routing rule (RTM_GETRULE) that looks at the source address or the outgoing netdev.
struct PolicyRule {
  std::string source;               ///< "10.0.0.0", "" where any source will do
  std::uint32_t source_prefix = 0;  ///< bits
  std::string out_netdev;           ///< "" where any will do
  std::uint32_t table = 0;          ///< 253 default, 254 main, 255 local
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("source", self.source);
    visit("source_prefix", self.source_prefix);
    visit("out_netdev", self.out_netdev);
    visit("table", self.table);
  }
};

/// Facts of the host that belong to no port.
struct HostFacts {
  Reading<std::string> kernel_command_line;
  Reading<bool> iommu_present;                   ///< any IOMMU group exists
  Reading<std::vector<MemlockLimit>> memlock;    ///< units that exist on this host; empty: none of them does
  Reading<std::uint64_t> default_memlock_bytes;  ///< systemd's DefaultLimitMEMLOCK where it is set, else our own limit
  Reading<std::vector<std::string>> modules;     ///< loaded modules that matter to RDMA
  Reading<bool> virtual_machine;                 ///< the CPU says that a hypervisor is present
  Reading<bool> rdma_subsystem;                  ///< /sys/class/infiniband exists
  Reading<std::string> cpu_vendor;               ///< of /proc/cpuinfo: "GenuineIntel", "AuthenticAMD"…
  Reading<bool> user_verbs;                      ///< /sys/class/infiniband_verbs exists: programs can use verbs
  Reading<std::uint32_t> numa_balancing;         ///< /proc/sys/kernel/numa_balancing; NotPresent: not in this kernel
  Reading<std::string> cpu_governor, cpu_frequency_driver;  ///< of CPU 0; NotPresent: no frequency scaling is shown
  Reading<std::vector<ModuleBuild>> module_builds;          ///< of the loaded modules of the RDMA stack
  Reading<std::string> nvidia_driver;     ///< first line of /proc/driver/nvidia/version; NotPresent: not loaded
  Reading<std::int64_t> nccl_gid_index;   ///< NCCL_IB_GID_INDEX of /etc/nccl.conf; NotPresent: not set there
  std::vector<NicInterrupts> interrupts;  ///< PCI functions of ports in scope
  Reading<std::vector<Ipv4Settings>> ipv4_settings;  ///< netdevs of ports in scope that have IPv4 addresses
  Reading<std::vector<PolicyRule>> policy_rules;
  Reading<std::vector<std::string>> qos_setters;  ///< files that set QoS at boot, with the word that says so
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("kernel_command_line", self.kernel_command_line);
    visit("iommu_present", self.iommu_present);
    visit("memlock", self.memlock);
    visit("default_memlock_bytes", self.default_memlock_bytes);
    visit("modules", self.modules);
    visit("virtual_machine", self.virtual_machine);
    visit("rdma_subsystem", self.rdma_subsystem);
    visit("cpu_vendor", self.cpu_vendor);
    visit("user_verbs", self.user_verbs);
    visit("numa_balancing", self.numa_balancing);
    visit("cpu_governor", self.cpu_governor);
    visit("cpu_frequency_driver", self.cpu_frequency_driver);
    visit("module_builds", self.module_builds);
    visit("nvidia_driver", self.nvidia_driver);
    visit("nccl_gid_index", self.nccl_gid_index);
    visit("interrupts", self.interrupts);
    visit("ipv4_settings", self.ipv4_settings);
    visit("policy_rules", self.policy_rules);
    visit("qos_setters", self.qos_setters);
  }
};

/// One netdev that matters: a member of an RDMA port, or (then the link alone is filled, the rest NotPresent) an upper
/// of one; where no port has a netdev in this network namespace, one that has a routable address here.
struct Netdev {
  NetLink link;
  EthtoolFacts ethtool;
  DcbFacts dcb;
  CounterReadings counters;  ///< canonical, from statistics, pause, FEC, carrier
  /// Text of the vendor driver's qos/ and ecn/ files below /sys/class/net/IF/, by path from there. What does not exist
  /// has no entry; a directory that cannot be listed has one under its own name.
  std::map<std::string, Reading<std::string>> vendor_files;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("link", self.link);
    visit("ethtool", self.ethtool);
    visit("dcb", self.dcb);
    visit("counters", self.counters);
    visit("vendor_files", self.vendor_files);
  }
};

/// How one collector fared in this sample.
struct CollectorRun {
  std::string collector;
  std::int64_t duration_ns = 0;
  bool ran = true;        ///< false: not due in this sample, its slice is the earlier one
  Reading<bool> success;  ///< absent: it failed as a whole, and why
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("collector", self.collector);
    visit("duration_ns", self.duration_ns);
    visit("ran", self.ran);
    visit("success", self.success);
  }
};

/// An RDMA-capable NIC (by its PCI driver) that has no RDMA device.
struct NicWithoutRdma {
  std::string pci_address, driver, netdev;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("pci_address", self.pci_address);
    visit("driver", self.driver);
    visit("netdev", self.netdev);
  }
};

/// The machine at one moment. Complete, immutable once published; every fact may be absent.
struct Snapshot {
  Instant before, after;  ///< the reading of counters lay between
  NodeFacts node;
  HostFacts host;
  std::vector<RdmaPort> ports;     ///< sorted by device, then port
  std::vector<Netdev> netdevs;     ///< sorted by name
  std::vector<PciFunction> pci;    ///< functions of the ports, and the bridges above them and above GPUs, by address
  Reading<std::vector<Gpu>> gpus;  ///< that a GPU driver has bound, by address; empty: there is none
  std::vector<NicWithoutRdma> nics_without_rdma;
  std::vector<std::string> expected_missing;  ///< entries of ports.expected that no port answers to
  std::vector<CollectorRun> collectors;
  std::vector<BurstFact> bursts;  ///< what the newest burst of fast polling saw, while that is fresh
  Reading<ProbeFacts> probes;     ///< NotPresent: this node does not probe
  std::vector<LogFact> log;       ///< from files alone
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("node", self.node);
    visit("host", self.host);
    visit("ports", self.ports);
    visit("netdevs", self.netdevs);
    visit("pci", self.pci);
    visit("gpus", self.gpus);
    visit("nics_without_rdma", self.nics_without_rdma);
    visit("expected_missing", self.expected_missing);
    visit("collectors", self.collectors);
    visit("bursts", self.bursts);
    visit("probes", self.probes);
    visit("log", self.log);
  }

  [[nodiscard]] const Netdev* netdev(const std::string& name) const;
  [[nodiscard]] const PciFunction* function(const std::string& address) const;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// Middle of the reading: the moment that counters are attributed to.
[[nodiscard]] Instant midpoint(const Snapshot& snapshot);

}  // namespace roceready

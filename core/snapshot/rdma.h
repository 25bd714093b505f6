// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "core/counters/counter.h"
#include "core/snapshot/ethtool.h"

namespace roceready {

/// An entry of a GID table, valid or of another network namespace. Indexes are slots, not identities.
struct GidEntry {
  std::uint32_t index = 0;
  std::string gid;              ///< IPv6 notation, "::ffff:10.0.0.1" for an IPv4 one; "" where it is kept from us
  std::string type;             ///< "RoCE v1", "RoCE v2", "IB"; "" where the kernel refuses it: another namespace's
  Reading<std::string> netdev;  ///< OtherNamespace where the kernel names none
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("index", self.index);
    visit("gid", self.gid);
    visit("type", self.type);
    visit("netdev", self.netdev);
  }
};

/// What a function behind an RDMA device is. Only a physical function can touch the verdict without being named.
enum class FunctionKind { Physical, Virtual, SubFunction, Representor, Software };
[[nodiscard]] const char* name_of(FunctionKind kind);
[[nodiscard]] FunctionKind function_kind_from_name(const std::string& name);

/// One RDMA port. MTUs in bytes.
struct RdmaPort {
  std::string device;  ///< "mlx5_0"
  std::uint32_t port = 1;
  std::string key;     ///< PCI address and port number, or device and port where there is no PCI function
  std::string driver;  ///< RDMA side: "mlx5_ib", "rdma_rxe"…; "" when not recognised
  FunctionKind function = FunctionKind::Physical;
  bool in_scope = false;
  std::string why_not;                  ///< why it is out of scope, "" when in scope
  Reading<std::string> protocol;        ///< "roce", "ib", "iw"
  Reading<std::string> link_layer;      ///< "Ethernet", "InfiniBand"
  Reading<std::string> state;           ///< ACTIVE, DOWN, INIT, ARMED
  Reading<std::string> physical_state;  ///< LinkUp, Disabled, Polling
  Reading<std::string> firmware;
  Reading<std::string> netdev;  ///< the port's own netdev: a bond under LAG. OtherNamespace where it lives elsewhere
  Reading<std::string> pci_address;  ///< NotPresent for software RDMA
  std::vector<std::string> members;  ///< physical netdevs, each with its own link, DCB and statistics
  std::vector<std::string> uppers;   ///< bond, VLAN, bridge over them
  Reading<std::uint32_t> active_mtu, max_mtu;
  Reading<std::vector<GidEntry>> gids;
  Reading<std::uint32_t> cma_default_tos;       ///< rdma_cm configfs default_roce_tos; NotPresent: nobody made the view
  Reading<std::string> cma_default_mode;        ///< "RoCE v2" or "IB/RoCE v1"
  Reading<std::uint32_t> forced_traffic_class;  ///< vendor driver's tc/N/traffic_class (global)
  Reading<RawCounters> hw_counters;             ///< RDMA netlink statistics, or sysfs hw_counters
  Reading<RawCounters> port_counters;           ///< sysfs counters/ (PMA); NotPresent on most drivers
  CounterReadings counters;                     ///< canonical, from both
  /// Text of the congestion control files of this port, by key: "cc_params/np_cnp_dscp" (mlx5 debugfs),
  /// "cc_config/enable_cc" (bnxt_re debugfs), "irdma/roce_dcqcn_enable" (configfs), "tc/1/traffic_class". What does not
  /// exist has no entry; a directory that cannot be listed has one under its own name.
  std::map<std::string, Reading<std::string>> vendor_files;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("key", self.key);
    visit("driver", self.driver);
    visit("function", self.function);
    visit("in_scope", self.in_scope);
    visit("why_not", self.why_not);
    visit("protocol", self.protocol);
    visit("link_layer", self.link_layer);
    visit("state", self.state);
    visit("physical_state", self.physical_state);
    visit("firmware", self.firmware);
    visit("netdev", self.netdev);
    visit("pci_address", self.pci_address);
    visit("members", self.members);
    visit("uppers", self.uppers);
    visit("active_mtu", self.active_mtu);
    visit("max_mtu", self.max_mtu);
    visit("gids", self.gids);
    visit("cma_default_tos", self.cma_default_tos);
    visit("cma_default_mode", self.cma_default_mode);
    visit("forced_traffic_class", self.forced_traffic_class);
    visit("hw_counters", self.hw_counters);
    visit("port_counters", self.port_counters);
    visit("counters", self.counters);
    visit("vendor_files", self.vendor_files);
  }
};

}  // namespace roceready

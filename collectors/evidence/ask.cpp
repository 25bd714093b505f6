// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/ask.h"

#include <map>
#include <type_traits>

#include "collectors/evidence/subjects.h"

namespace roceready::evidence {
namespace {

using Commands = std::map<std::string_view, std::string>;

template <class T>
struct IsReading : std::false_type {};
template <class T>
struct IsReading<Reading<T>> : std::true_type {};

/// Every absent field of `facts` that nobody gave a reason gets that of its command; "" stands for all other fields.
template <class T>
void name_in(T& facts, const Commands& commands) {
  T::each_field(
      [&](std::string_view name, auto& field) {
        if constexpr (IsReading<std::decay_t<decltype(field)>>::value) {
          if (field || field.absent().why != Why::NotRecorded || !field.absent().detail.empty()) return;
          auto at = commands.find(name);
          if (at == commands.end()) at = commands.find("");
          field = Absent{Why::NotRecorded, at != commands.end() ? reason_with_command(at->second) : "no file says it"};
        }
      },
      facts);
}

bool is_mlx(const Netdev& netdev) {
  return netdev.ethtool.driver && netdev.ethtool.driver->driver.starts_with("mlx");
}

void name_in_netdev(Netdev& netdev) {
  const std::string& name = netdev.link.name;
  name_in(netdev.link, {{"", "ip -d link show dev " + name}});
  name_in(netdev.ethtool, {{"driver", "ethtool -i " + name},
                           {"link_modes", "ethtool " + name},
                           {"link_state", "ethtool " + name},
                           {"medium", "ethtool " + name},
                           {"pause", "ethtool -a " + name},
                           {"fec", "ethtool -I --show-fec " + name},
                           {"rings", "ethtool -g " + name},
                           {"module", "ethtool -m " + name},
                           {"pfc_stall_limit_ms", "ethtool --get-tunable " + name + " pfc-prevention-tout"},
                           {"statistics", "ethtool -S " + name}});
  if (is_mlx(netdev)) {
    name_in(netdev.dcb, {{"dcbx", "dcb dcbx show dev " + name}, {"", "mlnx_qos -i " + name}});
    return;
  }
  name_in(netdev.dcb, {{"pfc", "dcb pfc show dev " + name},
                       {"ets", "dcb ets show dev " + name},
                       {"app", "dcb app show dev " + name},
                       {"trust", "dcb app show dev " + name},
                       {"dscp_to_priority", "dcb app show dev " + name},
                       {"buffers", "dcb buffer show dev " + name},
                       {"max_rate", "dcb maxrate show dev " + name},
                       {"dcbx", "dcb dcbx show dev " + name}});
}

void name_in_port(RdmaPort& port) {
  // No command knows a device whose name this program made up: which it is comes first.
  if (port.device.starts_with(std::string(kNamelessDevice) + "-")) {
    const std::string netdev = port.netdev.value_or("");
    return name_in(port, {{"pci_address", netdev.empty() ? "rdma link" : "ethtool -i " + netdev}, {"", "rdma link"}});
  }
  // Who is who comes first where nobody named the device, too.
  const std::string path = "ls -l /sys/class/infiniband/" + port.device + "/device";
  const std::string netdev = port.netdev.value_or(kNamelessNetdev);
  const std::string function = port.device != kNamelessDevice ? path
                               : netdev == kNamelessNetdev    ? "rdma link"
                                                              : "ethtool -i " + netdev;
  const std::string link = port.device + "/" + std::to_string(port.port);
  name_in(port, {{"netdev", "rdma link"},
                 {"protocol", "rdma link"},
                 {"state", "rdma link"},
                 {"physical_state", "rdma link"},
                 {"link_layer", "ibv_devinfo -v -d " + port.device},
                 {"firmware", "ibv_devinfo -v -d " + port.device},
                 {"active_mtu", "ibv_devinfo -v -d " + port.device},
                 {"max_mtu", "ibv_devinfo -v -d " + port.device},
                 {"gids", "ibv_devinfo -v -d " + port.device},
                 {"pci_address", function},
                 {"cma_default_tos", "cma_roce_tos -d " + port.device},
                 {"cma_default_mode", "cma_roce_mode -d " + port.device},
                 {"forced_traffic_class", "cat /sys/class/infiniband/" + port.device + "/tc/1/traffic_class"},
                 {"hw_counters", "rdma statistic show link " + link}});
}

/// lspci tells neither the type of an IOMMU group nor totals of errors.
void name_in_function(PciFunction& function) {
  const std::string path = "/sys/bus/pci/devices/" + function.address;
  name_in(function, {{"aer", "grep . " + path + "/aer_dev_*"},
                     {"iommu_group_type", "cat " + path + "/iommu_group/type"},
                     {"", "lspci -vvv -s " + function.address}});
}

constexpr char kLimitsOfProgram[] = "cat /proc/PID/limits";

void name_in_host(HostFacts& host) {
  name_in(host, {{"kernel_command_line", "cat /proc/cmdline"},
                 {"memlock", kLimitsOfProgram},
                 {"default_memlock_bytes", kLimitsOfProgram},
                 {"numa_balancing", "sysctl kernel.numa_balancing"},
                 {"ipv4_settings", "sysctl -a | grep -E 'arp_(ignore|announce)|rp_filter'"},
                 {"policy_rules", "ip rule"},
                 {"modules", "lsmod"},
                 {"cpu_vendor", "lscpu"},
                 {"virtual_machine", "lscpu"}});
}

constexpr std::string_view kBegin = "no file says it: `", kEnd = "` does";

}  // namespace

std::string reason_with_command(const std::string& command) {
  return std::string(kBegin) + command + std::string(kEnd);
}

std::string command_in_reason(std::string_view detail) {
  const auto begin = detail.find(kBegin);
  if (begin == std::string_view::npos) return {};
  detail.remove_prefix(begin + kBegin.size());
  const auto end = detail.find(kEnd);
  return end == std::string_view::npos ? std::string{} : std::string(detail.substr(0, end));
}

void name_commands(Snapshot& snapshot) {
  for (Netdev& netdev : snapshot.netdevs) name_in_netdev(netdev);
  for (RdmaPort& port : snapshot.ports) name_in_port(port);
  for (PciFunction& function : snapshot.pci) name_in_function(function);
  name_in_host(snapshot.host);
}

}  // namespace roceready::evidence

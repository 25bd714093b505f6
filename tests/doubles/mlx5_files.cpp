// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/mlx5_files.h"

#include <algorithm>
#include <cstdio>

#include "tests/doubles/mlx5_names.h"
#include "tests/doubles/mlx5_payloads.h"

namespace roceready::doubles {
namespace {

const std::string kPci = "/sys/bus/pci/devices/";
const std::string kClass = "/sys/class/infiniband/";

/// "0000:3a:01.0" → "pci0000:3a"
std::string root_of(const std::string& bridge) {
  return "pci" + bridge.substr(0, 7);
}

std::string aer(const char* total) {
  std::string out;
  for (const char* name : {"RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr"})
    out += std::string(name) + " 0\n";
  return out + total + " 0\n";
}

std::string hexadecimal(std::uint16_t number) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x\n", number);
  return text;
}

const NicModel* nic_of(const Mlx5Host& host) {
  return host.members.empty() ? nullptr : host.members.front().nic;
}

std::string pci_driver_of(const Mlx5Member& member) {
  return member.nic != nullptr ? member.nic->pci_driver : "mlx5_core";
}

constexpr unsigned kInterrupts = 4;
unsigned first_interrupt(const Mlx5Member& member) {
  return 100 + member.index * 10;
}
/// Two sockets of 56 cores.
std::string local_cpus(std::int64_t node) {
  return node == 0 ? "0-55,112-167" : "56-111,168-223";
}

void add_function(std::map<std::string, std::string>& out, const std::string& address, const Mlx5Member& member,
                  bool bridge, bool privileged) {
  const std::string base = kPci + address + "/";
  const std::string speed = bridge ? "32.0 GT/s PCIe" : member.pcie_max_speed;
  const auto vendor = static_cast<std::uint16_t>(bridge                  ? 0x8086
                                                 : member.nic != nullptr ? member.nic->pci_vendor
                                                                         : 0x15b3);
  const auto device = static_cast<std::uint16_t>(bridge                  ? 0x352a
                                                 : member.nic != nullptr ? member.nic->pci_device
                                                                         : 0x1021);
  out[base + "vendor"] = hexadecimal(vendor);
  out[base + "device"] = hexadecimal(device);
  out[base + "current_link_speed"] = member.pcie_speed + "\n";
  out[base + "max_link_speed"] = speed + "\n";
  out[base + "current_link_width"] = std::to_string(member.pcie_width) + "\n";
  out[base + "max_link_width"] = std::to_string(bridge ? 16 : member.pcie_max_width) + "\n";
  out[base + "numa_node"] = std::to_string(member.numa_node) + "\n";
  out[base + "aer_dev_correctable"] = aer("TOTAL_ERR_COR");
  out[base + "aer_dev_nonfatal"] = aer("TOTAL_ERR_NONFATAL");
  out[base + "aer_dev_fatal"] = aer("TOTAL_ERR_FATAL");
  if (!bridge) {
    out[base + "local_cpulist"] = local_cpus(member.numa_node) + "\n";
    for (unsigned i = 0; i < kInterrupts; ++i)
      out["/proc/irq/" + std::to_string(first_interrupt(member) + i) + "/effective_affinity_list"] =
          std::to_string((member.interrupts_on_node.value_or(member.numa_node) == 0 ? 0 : 56) + i) + "\n";
  }
  const std::string config = pci_configuration(vendor, device, bridge, bridge ? 128 : member.max_read_request);
  out[base + "config"] = config.substr(0, privileged ? config.size() : 64);
}

void add_device_files(std::map<std::string, std::string>& out, const Mlx5Host& host, const Mlx5Device& device,
                      std::size_t sample) {
  const std::string base = kClass + device.name + "/";
  const std::string port = base + "ports/1/";
  out[base + "fw_ver"] = host.members.front().firmware.substr(0, host.members.front().firmware.find(' ')) + "\n";
  out[base + "node_type"] = "1: CA\n";
  out[port + "state"] = device.state == 4 ? "4: ACTIVE\n" : "1: DOWN\n";
  out[port + "phys_state"] = device.physical_state == 5 ? "5: LinkUp\n" : "3: Disabled\n";
  out[port + "link_layer"] = device.infiniband ? "InfiniBand\n" : device.unspecified ? "Unspecified\n" : "Ethernet\n";
  if (host.rdma_cm_tos) {
    const std::string view = "/sys/kernel/config/rdma_cm/" + device.name + "/ports/1/";
    out[view + "default_roce_tos"] = std::to_string(*host.rdma_cm_tos) + "\n";
    out[view + "default_roce_mode"] = "RoCE v2\n";
  }
  if (host.hardware_counter_files) {
    for (const std::string& name : mlx5_hardware_counter_names())
      out[port + "hw_counters/" + name] = std::to_string(device.hardware.value(name, sample)) + "\n";
    out[port + "hw_counters/lifespan"] = "10\n";
  }
  if (const NicModel* nic = nic_of(host)) {
    for (const std::string& name : nic->names(nic->device_hardware))
      out[base + "hw_counters/" + name] = std::to_string(device.hardware.value(name, sample)) + "\n";
  }
  if (!host.port_counters) return;
  for (const char* name : {"port_rcv_data", "port_rcv_packets", "port_xmit_data", "port_xmit_packets", "link_downed",
                           "port_rcv_errors", "port_xmit_discards", "port_xmit_wait", "symbol_error"})
    out[port + "counters/" + name] = std::to_string(device.hardware.value(name, sample)) + "\n";
}

constexpr const char* kRdmaModules[] = {"ib_core", "ib_uverbs", "mlx5_ib", "rdma_cm", "rdma_ucm"};

void add_address_settings(std::map<std::string, std::string>& out, const Mlx5Host& host) {
  std::vector<std::string> names{"all"};
  for (const Mlx5Member& member : host.members) names.push_back(member.netdev);
  for (const std::string& name : names)
    for (const char* setting : {"arp_ignore", "arp_announce", "rp_filter"})
      out["/proc/sys/net/ipv4/conf/" + name + "/" + setting] = "0\n";
}

void add_machine_files(std::map<std::string, std::string>& out, const Mlx5Host& host, std::size_t sample) {
  out["/proc/sys/kernel/hostname"] = host.name + "\n";
  out["/proc/sys/kernel/osrelease"] = host.kernel + "\n";
  out["/proc/sys/kernel/random/boot_id"] = "6f1d1f8e-9f0c-4c55-8a52-0d6f3c5a7e11\n";
  char uptime[64];
  std::snprintf(uptime, sizeof uptime, "%.2f 1234567.89\n", host.uptime_seconds + static_cast<double>(sample));
  out["/proc/uptime"] = uptime;
  out["/proc/cmdline"] = host.command_line + "\n";
  out["/proc/cpuinfo"] =
      "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\n"
      "flags\t\t: fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat avx512f\n";
  out["/proc/sys/kernel/numa_balancing"] = host.numa_balancing ? "1\n" : "0\n";
  const std::string frequency = "/sys/devices/system/cpu/cpu0/cpufreq/";
  out[frequency + "scaling_driver"] = "intel_pstate\n";
  out[frequency + "scaling_governor"] = "performance\n";
  out["/sys/module/mlx5_core/taint"] = "\n";
  if (host.rdma_loaded)
    for (const char* module : kRdmaModules) out[std::string("/sys/module/") + module + "/taint"] = "\n";
  const std::string limits =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max open files            1048576              1048576              files     \n";
  const std::string locked = "Max locked memory         unlimited            unlimited            bytes     \n";
  out["/proc/self/limits"] =
      limits + "Max locked memory         8388608              8388608              bytes     \n";
  out["/etc/systemd/system.conf"] = "[Manager]\n#DefaultLimitMEMLOCK=8M\n";
  if (!host.slurmd) return;
  out["/sys/fs/cgroup/system.slice/slurmd.service/cgroup.procs"] = "2417\n";
  out["/proc/2417/limits"] = limits + locked;
  out["/usr/lib/systemd/system/slurmd.service"] = "[Service]\nExecStart=/usr/sbin/slurmd -D\nLimitMEMLOCK=infinity\n";
}

std::vector<std::string> device_names(const Mlx5Host& host) {
  std::vector<std::string> out;
  for (const Mlx5Device& device : host.devices) out.push_back(device.name);
  for (std::uint32_t i = 0; i < host.virtual_functions; ++i) out.push_back(virtual_device(host, i));
  std::sort(out.begin(), out.end());
  return out;
}

std::string group_of(std::size_t member) {
  return std::to_string(40 + member);
}

}  // namespace

std::string virtual_pci(const std::string& physical, std::uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "%s:%02x.%u", physical.substr(0, 7).c_str(), (number + 1) / 8, (number + 1) % 8);
  return text;
}

std::string virtual_device(const Mlx5Host& host, std::uint32_t number) {
  return "mlx5_" + std::to_string(host.devices.size() + number);
}

std::map<std::string, std::string> files_of(const Mlx5Host& host, std::size_t sample) {
  std::map<std::string, std::string> out;
  add_machine_files(out, host, sample);
  add_address_settings(out, host);
  std::size_t number = 0;
  for (const Mlx5Member& member : host.members) {
    add_function(out, member.pci, member, false, host.privileged);
    add_function(out, member.bridge, member, true, host.privileged);
    if (member.iommu_group_type)
      out["/sys/kernel/iommu_groups/" + group_of(number) + "/type"] = *member.iommu_group_type + "\n";
    out["/sys/class/net/" + member.netdev + "/dev_port"] = "0\n";
    ++number;
  }
  if (!host.rdma_loaded) return out;
  for (const Mlx5Device& device : host.devices) add_device_files(out, host, device, sample);
  return out;
}

std::map<std::string, std::string> symbolic_links_of(const Mlx5Host& host) {
  std::map<std::string, std::string> out;
  std::size_t number = 0;
  for (const Mlx5Member& member : host.members) {
    const std::string place = "devices/" + root_of(member.bridge) + "/" + member.bridge + "/" + member.pci;
    out[kPci + member.pci] = "../../../" + place;
    out[kPci + member.bridge] = "../../../devices/" + root_of(member.bridge) + "/" + member.bridge;
    out[kPci + member.pci + "/driver"] = "../../../../bus/pci/drivers/" + pci_driver_of(member);
    out[kPci + member.bridge + "/driver"] = "../../../bus/pci/drivers/pcieport";
    if (member.iommu_group_type)
      out[kPci + member.pci + "/iommu_group"] = "../../../../kernel/iommu_groups/" + group_of(number);
    out["/sys/class/net/" + member.netdev + "/device"] = "../../../" + member.pci;
    ++number;
    for (const Mlx5Device& device : host.devices) {
      if (!host.rdma_loaded || device.pci != member.pci) continue;
      out[kClass + device.name] = "../../" + place + "/infiniband/" + device.name;
      out[kClass + device.name + "/device"] = "../../../" + member.pci;
    }
  }
  out[kPci + "0000:01:00.0"] = "../../../devices/pci0000:00/0000:00:1c.0/0000:01:00.0";
  out[kPci + "0000:01:00.0/driver"] = "../../../../bus/pci/drivers/igb";
  for (std::uint32_t i = 0; i < host.virtual_functions; ++i) {
    const Mlx5Member& physical = host.members.front();
    const std::string pci = virtual_pci(physical.pci, i), device = virtual_device(host, i);
    const std::string place = "devices/" + root_of(physical.bridge) + "/" + physical.bridge + "/" + pci;
    out[kPci + pci] = "../../../" + place;
    out[kPci + pci + "/physfn"] = "../" + physical.pci;
    out[kPci + pci + "/driver"] = "../../../../bus/pci/drivers/mlx5_core";
    if (host.rdma_loaded) out[kClass + device] = "../../" + place + "/infiniband/" + device;
  }
  return out;
}

std::map<std::string, std::vector<std::string>> directories_of(const Mlx5Host& host) {
  std::map<std::string, std::vector<std::string>> out;
  const NicModel* nic = nic_of(host);
  std::vector<std::string> modules{"igb", nic != nullptr ? nic->pci_driver : "mlx5_core"}, groups;
  for (std::size_t i = 0; i < host.members.size(); ++i)
    if (host.members[i].iommu_group_type) groups.push_back(group_of(i));
  if (!groups.empty()) out["/sys/kernel/iommu_groups"] = groups;
  if (host.members.empty()) modules = {"igb"};
  if (host.rdma_loaded) {
    std::copy_if(std::begin(kRdmaModules), std::end(kRdmaModules), std::back_inserter(modules),
                 [&](const std::string& name) { return nic == nullptr || name != "mlx5_ib"; });
    if (nic != nullptr) modules.push_back(nic->rdma_module);
    out["/sys/class/infiniband"] = device_names(host);
    out["/sys/class/infiniband_verbs"] = {"abi_version"};
  }
  for (const Mlx5Member& member : host.members)
    for (unsigned i = 0; i < kInterrupts; ++i)
      out[kPci + member.pci + "/msi_irqs"].push_back(std::to_string(first_interrupt(member) + i));
  std::sort(modules.begin(), modules.end());
  out["/sys/module"] = modules;
  for (const Mlx5Device& device : host.devices) {
    if (!host.rdma_loaded) break;
    const std::string port = kClass + device.name + "/ports/1";
    out[kClass + device.name + "/ports"] = {"1"};
    std::vector<std::string>& views = out["/sys/kernel/config/rdma_cm"];
    if (host.rdma_cm_tos) {
      views.push_back(device.name);
      out["/sys/kernel/config/rdma_cm/" + device.name + "/ports"] = {"1"};
    }
    out[kPci + device.pci + "/infiniband"] = {device.name};
    if (nic != nullptr && !nic->device_hardware.empty()) {
      std::vector<std::string>& names = out[kClass + device.name + "/hw_counters"];
      names = nic->names(nic->device_hardware);
      names.push_back("lifespan");
      std::sort(names.begin(), names.end());
    }
    if (host.hardware_counter_files) {
      out[port + "/hw_counters"] = mlx5_hardware_counter_names();
      out[port + "/hw_counters"].push_back("lifespan");
      std::sort(out[port + "/hw_counters"].begin(), out[port + "/hw_counters"].end());
    }
    if (host.port_counters)
      out[port + "/counters"] = {"link_downed",       "port_rcv_data",  "port_rcv_errors",
                                 "port_rcv_packets",  "port_xmit_data", "port_xmit_discards",
                                 "port_xmit_packets", "port_xmit_wait", "symbol_error"};
  }
  if (host.rdma_loaded)
    for (std::uint32_t i = 0; i < host.virtual_functions; ++i)
      out[kPci + virtual_pci(host.members.front().pci, i) + "/infiniband"] = {virtual_device(host, i)};
  return out;
}

}  // namespace roceready::doubles

// SPDX-License-Identifier: Apache-2.0
// grep . of files below /sys and /proc/sys, and sysctl.
#include <set>

#include "tests/evidence/round_trip/counter_names.h"
#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

/// `grep -r . DIRECTORY` of files by their path below it.
void grep_directory(Terminal& terminal, const std::string& base, const std::string& directory,
                    const std::map<std::string, Reading<std::string>>& files) {
  std::string out;
  for (const auto& [key, text] : files) {
    if (key != directory && !key.starts_with(directory + "/")) continue;
    if (text)
      out += base + "/" + key + ":" + *text + "\n";
    else if (text.absent().why == Why::Denied)
      out += "grep: " + base + "/" + key + ": Permission denied\n";
    else
      out += "grep: " + base + "/" + key + ": Invalid argument\n";
  }
  const std::string path = base + "/" + directory;
  terminal.run("grep -r . " + path, out.empty() ? "grep: " + path + ": No such file or directory\n" : out);
}

bool is_listed(const Reading<std::uint32_t>& reading) {
  return reading || reading.absent().why != Why::NotRecorded;
}

}  // namespace

void vendor_files(Terminal& terminal, const Snapshot& snapshot) {
  for (const RdmaPort& port : snapshot.ports) {
    // Out of scope nobody looked, and a host of few facts holds none.
    if (!port.in_scope || !is_listed(port.forced_traffic_class)) continue;
    for (const std::string& member : port.members) {
      const Netdev* netdev = snapshot.netdev(member);
      if (netdev != nullptr && port.driver == "mlx5_ib")
        grep_directory(terminal, "/sys/class/net/" + member, "ecn", netdev->vendor_files);
    }
    const std::string pci = port.pci_address.value_or("");
    if (port.driver == "mlx5_ib" && !pci.empty())
      grep_directory(terminal, "/sys/kernel/debug/mlx5/" + pci, "cc_params", port.vendor_files);
    if (port.driver == "bnxt_re" && !pci.empty())
      grep_directory(terminal, "/sys/kernel/debug/bnxt_re/" + pci, "cc_config", port.vendor_files);
    if (port.driver == "irdma") {
      std::map<std::string, Reading<std::string>> files;
      for (const auto& [key, text] : port.vendor_files)
        if (key == "irdma" || key.starts_with("irdma/")) files[port.device + key.substr(5)] = text;
      grep_directory(terminal, "/sys/kernel/config/irdma", port.device, files);
    }
    const std::string file =
        "/sys/class/infiniband/" + port.device + "/tc/" + std::to_string(port.port) + "/traffic_class";
    if (port.forced_traffic_class)
      terminal.run("cat " + file, "Global tclass=" + std::to_string(*port.forced_traffic_class) + "\n");
    else if (port.forced_traffic_class.absent().why == Why::NotPresent)
      terminal.run("cat " + file, "cat: " + file + ": No such file or directory\n");
    else if (port.forced_traffic_class.absent().why == Why::Denied)
      terminal.run("cat " + file, "cat: " + file + ": Permission denied\n");
  }
}

void sysfs_settings(Terminal& terminal, const Snapshot& snapshot) {
  for (const PciFunction& function : snapshot.pci) {
    const std::string base = "/sys/bus/pci/devices/" + function.address;
    std::string out;
    if (function.numa_node) out += base + "/numa_node:" + std::to_string(*function.numa_node) + "\n";
    if (function.iommu_group_type) out += base + "/iommu_group/type:" + *function.iommu_group_type + "\n";
    if (is_listed(function.current_width) && function.acs_control.has_value() == false) {
      // lspci of others than root shows no link: the kernel's files do.
      if (function.current_speed)
        out += base + "/current_link_speed:" +
               std::to_string(static_cast<double>(*function.current_speed) / 1e9).substr(0, 4) + " GT/s PCIe\n";
      if (function.max_speed)
        out += base + "/max_link_speed:" + std::to_string(static_cast<double>(*function.max_speed) / 1e9).substr(0, 4) +
               " GT/s PCIe\n";
      if (function.current_width) out += base + "/current_link_width:" + std::to_string(*function.current_width) + "\n";
      if (function.max_width) out += base + "/max_link_width:" + std::to_string(*function.max_width) + "\n";
    }
    if (!out.empty()) terminal.run("grep . " + base + "/*", out);
  }
  for (const Netdev& netdev : snapshot.netdevs) {
    const NetLink& link = netdev.link;
    const std::string base = "/sys/class/net/" + link.name;
    std::string out;
    if (!is_whole(link) && link.mtu) out += base + "/mtu:" + std::to_string(*link.mtu) + "\n";
    if (!is_whole(link) && link.oper_state) out += base + "/operstate:" + *link.oper_state + "\n";
    if (!is_whole(link) && link.carrier) out += base + "/carrier:" + (*link.carrier ? "1\n" : "0\n");
    if (!out.empty()) terminal.run("grep . " + base + "/*", out);
  }
  std::string out;
  const std::string cpu = "/sys/devices/system/cpu/cpu0/cpufreq/";
  if (snapshot.host.cpu_governor) out += cpu + "scaling_governor:" + *snapshot.host.cpu_governor + "\n";
  if (snapshot.host.cpu_frequency_driver) out += cpu + "scaling_driver:" + *snapshot.host.cpu_frequency_driver + "\n";
  if (!out.empty()) terminal.run("grep . " + cpu + "*", out);
}

void sysfs_counters(Terminal& terminal, const Snapshot& snapshot) {
  for (const RdmaPort& port : snapshot.ports) {
    const std::string base =
        "/sys/class/infiniband/" + port.device + "/ports/" + std::to_string(port.port) + "/counters";
    std::string out;
    for (const auto& [name, value] : port_counters_of(port))
      out += base + "/" + name + ":" + std::to_string(value) + "\n";
    if (!out.empty()) terminal.run("grep . " + base + "/*", out);
  }
  for (const Netdev& netdev : snapshot.netdevs) {
    const std::string base = "/sys/class/net/" + netdev.link.name + "/";
    std::string out;
    const CounterValue* down = netdev.counters.find(CounterId::CarrierDownEvents);
    if (netdev.link.carrier_down_count)
      out += base +
             "carrier_down_count:" + std::to_string(down != nullptr ? down->raw : *netdev.link.carrier_down_count) +
             "\n";
    if (netdev.link.carrier_up_count)
      out += base + "carrier_up_count:" + std::to_string(*netdev.link.carrier_up_count) + "\n";
    if (!out.empty()) terminal.run("grep . " + base + "carrier_*", out);
  }
  for (const PciFunction& function : snapshot.pci) {
    if (!function.aer) continue;
    const std::string base = "/sys/bus/pci/devices/" + function.address + "/aer_dev_";
    std::string out;
    for (const auto& [kind, total] : *function.aer)
      out += base + kind + ":TOTAL_ERR_" +
             (kind == "correctable" ? "COR"
              : kind == "fatal"     ? "FATAL"
                                    : "NONFATAL") +
             " " + std::to_string(total) + "\n";
    if (!out.empty()) terminal.run("grep . " + base + "*", out);
  }
}

void sysctl(Terminal& terminal, const Snapshot& snapshot) {
  std::string out;
  if (snapshot.host.ipv4_settings) {
    for (const char* name : {"arp_ignore", "arp_announce", "rp_filter"})
      out += std::string("net.ipv4.conf.all.") + name + " = 0\n";
    for (const Ipv4Settings& settings : *snapshot.host.ipv4_settings) {
      std::string netdev = settings.netdev;
      for (char& c : netdev) c = c == '.' ? '/' : c;
      const auto setting = [&](const char* name, const Reading<std::uint32_t>& value) {
        if (value) out += "net.ipv4.conf." + netdev + "." + name + " = " + std::to_string(*value) + "\n";
      };
      if (netdev == "all") continue;
      setting("arp_ignore", settings.arp_ignore);
      setting("arp_announce", settings.arp_announce);
      setting("rp_filter", settings.rp_filter);
    }
  }
  if (snapshot.host.numa_balancing)
    out += "kernel.numa_balancing = " + std::to_string(*snapshot.host.numa_balancing) + "\n";
  if (!out.empty()) terminal.run("sysctl -a", out);
}

}  // namespace roceready::round_trip

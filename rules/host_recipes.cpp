// SPDX-License-Identifier: Apache-2.0
#include "rules/host_recipes.h"

#include <string>
#include <utility>
#include <vector>

#include "rules/evidence.h"

namespace roceready::rules {
namespace {

constexpr const char* kSysctlNote = "not persistent across reboot: write it to a file in /etc/sysctl.d as well";
constexpr const char* kLooksOnly = "only shows";

using Commands = std::vector<FixCommand>;

FixCommand generic(std::string command, std::string note, bool persistent = false) {
  return {"generic", std::move(command), persistent, std::move(note)};
}

Commands numa_affinity(const Evidence& seen, const std::string& netdev) {
  Commands out;
  const PciFunction* nic = seen.pci();
  if (seen.vendor() == "nvidia" && nic != nullptr && nic->numa_node)
    out.push_back({"nvidia", "set_irq_affinity_bynode.sh " + std::to_string(*nic->numa_node) + " " + netdev, false,
                   "not persistent across reboot; stop irqbalance or tell it to leave the NIC alone"});
  out.push_back(generic("numactl --cpunodebind=netdev:" + netdev + " --membind=netdev:" + netdev + " PROGRAM",
                        "starts a program on the NIC's node"));
  return out;
}

Commands gpu_direct(const Evidence& seen) {
  const Reading<std::vector<std::string>>& modules = seen.now().host.modules;
  const auto loaded = [&](const char* name) {
    if (!modules) return false;
    for (const std::string& module : *modules)
      if (module == name) return true;
    return false;
  };
  Commands out;
  if (loaded("nvidia"))
    out.push_back(generic("modprobe nvidia_peermem", "not persistent across reboot: name it in /etc/modules-load.d"));
  else
    out.push_back(generic("modprobe -a amdgpu nvidia nvidia_peermem",
                          "the modules of the GPUs at hand; not persistent across reboot"));
  out.push_back(generic("cat /proc/driver/nvidia/version",
                        "only shows; the open kernel modules bring DMA-BUF and need no nvidia_peermem"));
  return out;
}

Commands arp_isolation() {
  return {generic("sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2", kSysctlNote),
          generic("ip rule add from ADDRESS table NUMBER && ip route add SUBNET dev NETDEV src ADDRESS table NUMBER",
                  "for each of the ports, with a table of its own; not persistent across reboot: put it into the "
                  "network configuration")};
}

Commands lag(const Evidence& seen, const std::string& netdev) {
  std::string bond = netdev;
  if (seen.has_member() && !seen.member().link.master.empty()) bond = seen.member().link.master;
  for (const std::string& upper : seen.port().uppers) {
    const Netdev* found = seen.now().netdev(upper);
    if (found != nullptr && found->link.kind == "bond") bond = upper;
  }
  return {
      generic("ip -d link show dev " + bond,
              "only shows; then make the bond again of two ports of one card, in mode active-backup, balance-xor or "
              "802.3ad"),
      generic("rdma link", "only shows: with RoCE LAG one RDMA device stands for both ports")};
}

}  // namespace

Commands host_commands(Recipe recipe, const Evidence& seen, const std::string& netdev) {
  switch (recipe) {
    case Recipe::NumaAffinity:
      return numa_affinity(seen, netdev);
    case Recipe::NumaBalancing:
      return {generic("sysctl -w kernel.numa_balancing=0", kSysctlNote)};
    case Recipe::CpuGovernor:
      return {generic("tuned-adm profile network-latency", "where tuned is installed", true),
              generic("cpupower frequency-set -g performance", "not persistent across reboot")};
    case Recipe::GpuDirect:
      return gpu_direct(seen);
    case Recipe::DriverStack:
      return {generic("modinfo -F filename ib_core mlx5_core mlx5_ib bnxt_re irdma", kLooksOnly),
              generic("dracut -f || update-initramfs -u", "after the driver package was installed again; then reboot",
                      true)};
    case Recipe::ArpIsolation:
      return arp_isolation();
    case Recipe::LocalTraffic:
      return {generic("export NCCL_P2P_DISABLE=0 NCCL_SHM_DISABLE=0",
                      "in the environment of the jobs: NCCL then uses shared memory within a node")};
    case Recipe::Lag:
      return lag(seen, netdev);
    default:
      return {};
  }
}

}  // namespace roceready::rules

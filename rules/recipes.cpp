// SPDX-License-Identifier: Apache-2.0
// What the kernel's own tools do, for NICs of every vendor; the vendors' tools are in vendor_recipes.cpp.
#include "rules/recipes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/buffer_plan.h"
#include "rules/ets_plan.h"
#include "rules/host_recipes.h"
#include "rules/pcie/gpu_paths.h"
#include "rules/recipe_writer.h"

// Syntax of dcb: iproute2 6.1. `dcb apptrust` is not among the commands: no driver of a RoCE NIC implements it.

namespace roceready::rules {
namespace {

constexpr const char* kRebootNote =
    "takes a reboot; without grubby: GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub";

void trust(RecipeWriter& to) {
  // On mlx5 and ice the first DSCP entry switches the port to DSCP trust, and taking away the last one to the VLAN tag;
  // Broadcom's and AMD's trust is not set that way.
  if (to.profile() == nullptr || to.vendor == "broadcom" || to.vendor == "amd") return;
  if (to.profile()->trust == "pcp")
    return to.generic("dcb app flush dev " + to.netdev + " dscp-prio",
                      std::string("without DSCP entries the port goes by the VLAN tag; ") + kQosNote);
  to.generic("dcb app add dev " + to.netdev + " dscp-prio " + to.dscp() + ":" + to.priority(),
             std::string("a DSCP entry switches the port to DSCP; ") + kQosNote);
}

void dscp_map(RecipeWriter& to) {
  if (to.profile() == nullptr || to.vendor == "amd") return;
  std::string entries;
  for (const auto& [from, into] : to.dscp_map()) entries += " " + from + ":" + into;
  to.generic("dcb app replace dev " + to.netdev + " dscp-prio" + entries, kQosNote);
}

void pfc(RecipeWriter& to) {
  if ((!to.has_lossless() && !has_pfc_too_much(to)) || to.vendor == "amd") return;
  to.generic(
      "dcb pfc set dev " + to.netdev + " prio-pfc all:off" + each_priority(to.profile()->pfc_priorities, " ", ":on"),
      kQosNote);
}

void tos(RecipeWriter& to) {
  if (to.profile() == nullptr) return;
  const std::string byte = to.tos_byte(), directory = "/sys/kernel/config/rdma_cm/" + to.device;
  to.generic(
      "mkdir -p " + directory + " && echo " + byte + " > " + directory + "/ports/" + to.port + "/default_roce_tos",
      std::string("for RDMA-CM; ") + kQosNote);
  to.generic("export NCCL_IB_TC=" + byte + " UCX_IB_TRAFFIC_CLASS=" + byte, "in the environment of the jobs");
}

/// Link-level pause as the design has it; nothing where it is so already.
void link_pause(RecipeWriter& to) {
  const bool wanted = to.profile() != nullptr && to.profile()->global_pause == GlobalPause::Required;
  if (to.seen.has_member()) {
    const Reading<bool> rx = field(to.seen.member().ethtool.pause, &PauseFacts::rx);
    const Reading<bool> tx = field(to.seen.member().ethtool.pause, &PauseFacts::tx);
    if (rx && tx && *rx == wanted && *tx == wanted) return;
  }
  const std::string word = wanted ? "on" : "off";
  to.generic("ethtool -A " + to.netdev + " rx " + word + " tx " + word, kNetworkNote);
}

void ets(RecipeWriter& to) {
  const std::optional<EtsPlan> plan = ets_plan(to.seen);
  if (plan && to.vendor != "amd" && to.vendor != "intel") {
    std::string map = "all:0", scheduling = "all:strict", shares = "all:0";
    for (std::size_t i = 0; i < kPriorities; ++i) {
      const std::string own = " " + std::to_string(i) + ":";
      if (plan->class_of[i] != 0) map += own + std::to_string(plan->class_of[i]);
      if (plan->by_share[i]) scheduling += own + "ets";
      if (plan->by_share[i]) shares += own + std::to_string(plan->percent[i]);
    }
    to.generic("dcb ets set dev " + to.netdev + " prio-tc " + map + " tc-tsa " + scheduling + " tc-bw " + shares,
               kQosNote);
  }
  to.generic("dcb ets show dev " + to.netdev, kLooksOnly);
}

/// Tags as the design has them. One of DSCP needs none: there a VLAN only must not put everybody into a lossless class.
void egress_map(RecipeWriter& to) {
  if (to.profile() == nullptr) return;
  const Profile& profile = *to.profile();
  const bool by_tag = profile.trust == "pcp";
  bool tagged = false;
  for (const std::string& name : to.seen.port().uppers) {
    const Netdev* upper = to.seen.now().netdev(name);
    if (upper == nullptr || upper->link.kind != "vlan") continue;
    tagged = true;
    std::optional<std::uint32_t> now;
    if (upper->link.vlan) {
      const auto entry = upper->link.vlan->egress_qos.find("0");
      now = entry == upper->link.vlan->egress_qos.end() ? 0 : entry->second;
    }
    const std::string map = "ip link set dev " + name + " type vlan egress-qos-map 0:";
    if (by_tag && now != profile.roce_priority) to.generic(map + to.priority(), kNetworkNote);
    if (!by_tag && now && *now < kPriorities && profile.is_lossless(static_cast<std::uint8_t>(*now)))
      to.generic(map + "0",
                 std::string("else all that this VLAN sends without a priority is lossless; ") + kNetworkNote);
  }
  if (by_tag && !tagged)
    to.generic("ip link add link " + to.netdev + " name vlanVID type vlan id VID egress-qos-map 0:" + to.priority(),
               std::string("VID is the storage VLAN that the switch carries tagged on this port; then move the port's "
                           "addresses to the new netdev; ") +
                   kNetworkNote);
  to.generic("ip -d link show dev " + to.netdev, kLooksOnly);
}

void rate_limit(RecipeWriter& to) {
  if (to.profile() == nullptr) return;
  const std::uint8_t roce = to.profile()->roce_priority;
  const Reading<EtsFacts> ets = to.seen.has_member() ? to.seen.member().dcb.ets : Reading<EtsFacts>();
  const std::uint32_t roce_class = ets ? ets->priority_to_class[roce] : roce;
  to.generic("dcb maxrate set dev " + to.netdev + " tc-maxrate " + std::to_string(roce_class) + ":0", kQosNote);
}

void buffers(RecipeWriter& to) {
  if (!to.has_lossless()) return;
  const std::optional<BufferPlan> plan = buffer_plan(to.seen);
  std::string change;
  if (!plan || plan->other_map) change += " prio-buffer all:0" + each_priority(to.profile()->pfc_priorities, " ", ":1");
  if (plan && plan->other_sizes) {
    change += " buffer-size";
    for (std::size_t k = 0; k < kPriorities; ++k)
      change += " " + std::to_string(k) + ":" + std::to_string(plan->size_bytes[k]);
  }
  if (to.vendor == "nvidia" && !change.empty())
    to.generic("dcb buffer set dev " + to.netdev + change, kQosNote);
  else
    to.generic("dcb buffer show dev " + to.netdev, kLooksOnly);
}

void mtu(RecipeWriter& to) {
  const Profile* profile = to.profile();
  const std::uint32_t bytes = profile != nullptr ? profile->host_mtu : Profile{}.host_mtu;
  const Netdev* netdev = to.seen.has_member() ? &to.seen.member() : to.seen.now().netdev(to.netdev);
  if (netdev != nullptr && netdev->link.mtu && *netdev->link.mtu >= bytes)
    return;  // this end is right already; what is left is the switch
  to.generic("ip link set dev " + to.netdev + " mtu " + std::to_string(bytes),
             std::string("the switch needs at least as much; VLANs and bonds too; ") + kNetworkNote);
}

void roce_mode(RecipeWriter& to) {
  const std::string directory = "/sys/kernel/config/rdma_cm/" + to.device;
  to.generic("mkdir -p " + directory + " && echo 'RoCE v2' > " + directory + "/ports/" + to.port + "/default_roce_mode",
             kQosNote);
}

void link_speed(RecipeWriter& to) {
  to.generic("ethtool -s " + to.netdev + " autoneg on", kNetworkNote);
  const Profile* profile = to.profile();
  if (profile != nullptr && profile->link_speed_bits_per_second)
    to.generic("ethtool -s " + to.netdev + " speed " + std::to_string(*profile->link_speed_bits_per_second / 1000000),
               std::string("where autonegotiation is not used; ") + kNetworkNote);
}

/// On the switch port that the netdev is connected to; PORT stands for it.
void switch_side(RecipeWriter& to) {
  const bool lossless = to.has_lossless();
  if (!lossless && std::string_view(to.seen.rule().id).starts_with("pfc-storm-"))
    return to.add("sonic", "pfcwd start --action drop PORT 200 --restoration-time 200",
                  "on the switch; PORT is where " + to.netdev + " is connected: its PFC watchdog");
  if (to.profile() == nullptr) return;
  const std::uint8_t mask = to.profile()->pfc_priorities;
  const std::string where = "on the switch; PORT is where " + to.netdev + " is connected";
  to.add("cumulus", std::string("nv set qos roce mode ") + (mask == 0 ? "lossy" : "lossless") + " && nv config apply",
         "on the switch", true);
  if (mask == 0) return;
  for (std::uint32_t p = 0; p < kPriorities; ++p)
    if ((mask >> p & 1U) != 0)
      to.add("sonic", "config interface pfc priority PORT " + std::to_string(p) + " on", where);
  to.add("sonic", "pfcwd start --action drop PORT 200 --restoration-time 200", where + ": its PFC watchdog");
  for (std::uint32_t p = 0; p < kPriorities; ++p)
    if ((mask >> p & 1U) != 0)
      to.add("arista", "priority-flow-control priority " + std::to_string(p) + " no-drop", where);
}

/// The NIC itself says that nothing is plugged in: no setting helps.
bool no_cable(const Evidence& seen) {
  const auto why =
      seen.has_member() ? field(seen.member().ethtool.link_state, &LinkState::extended_state) : Reading<std::string>();
  return why && *why == "No cable";
}

/// Bits 14:12 of PCIe Device Control; the mask leaves the other bits alone.
void mrrs(RecipeWriter& to) {
  if (to.pci.empty()) return;
  to.generic("lspci -vvv -s " + to.pci + " | grep MaxReadReq", kLooksOnly);
  to.generic("setpci -s " + to.pci + " CAP_EXP+8.w=5000:7000",
             "4096 bytes; not persistent across reboot, prefer the BIOS option; some platforms are faster with 512");
}

/// ACS redirect off on the bridges below the switch that a GPU and this NIC share, and on that switch's ports alone.
void acs(RecipeWriter& to) {
  std::string disable;
  for (const std::string& bridge : bridges_that_redirect(to.seen)) {
    to.generic("setpci -s " + bridge + " ECAP_ACS+6.w=0:1c",
               "bare metal only, never under virtual machines; not persistent across reboot");
    disable += (disable.empty() ? "" : ";") + bridge;
  }
  if (!disable.empty())
    to.generic("grubby --update-kernel=ALL --args='pci=disable_acs_redir=" + disable + "'",
               "the same from boot on, with a recent kernel; with virtual machines use ATS on the NIC instead", true);
}

void rdma_driver(RecipeWriter& to) {
  const auto module_of = [](const std::string& driver) -> std::string {
    if (driver == "mlx5_core") return "mlx5_ib";
    if (driver == "mlx4_core" || driver == "mlx4_en") return "mlx4_ib";
    if (driver == "bnxt_en") return "bnxt_re";
    if (driver == "ice" || driver == "i40e") return "irdma";
    if (driver == "ionic") return "ionic_rdma";
    return "";
  };
  std::set<std::string> modules;
  for (const NicWithoutRdma& nic : to.seen.now().nics_without_rdma) modules.insert(module_of(nic.driver));
  modules.erase("");
  for (const std::string& module : modules) to.generic("modprobe " + module, "the NIC's own RDMA module");
  to.generic("modprobe -a rdma_ucm ib_uverbs", "the modules that programs need beside it");
  to.generic("dmesg | grep -iE 'rdma|infiniband|mlx5|bnxt|irdma'", "shows what the driver said");
}

/// Limits that somebody sent are of no unit by name: "the shell of sent.txt", "process 4711 of sent.txt", "the process
/// of ib_write_bw (pid 4711)".
void memlock_of_files(const std::string& whose, RecipeWriter& to) {
  if (whose.starts_with("the shell of "))
    return to.generic("printf '* - memlock unlimited\\n' > /etc/security/limits.d/rdma.conf",
                      "then log in anew; a container gets it by --ulimit memlock=-1", true);
  std::string pid = "PID";
  for (const char* word : {"(pid ", "process "}) {
    const auto at = whose.find(word);
    if (at == std::string::npos) continue;
    const std::string number = whose.substr(at + std::string(word).size());
    const auto end = number.find_first_not_of("0123456789");
    if (end != 0 && end != std::string::npos) pid = number.substr(0, end);
    if (pid != "PID") break;
  }
  to.generic("systemctl status " + pid,
             "shows the unit that started it: set LimitMEMLOCK=infinity there, or --ulimit memlock=-1 of a container");
}

void memlock(RecipeWriter& to) {
  const Reading<std::vector<MemlockLimit>>& units = to.seen.now().host.memlock;
  if (!units) return;
  for (const MemlockLimit& unit : *units) {
    if (!unit.bytes || static_cast<double>(*unit.bytes) >= to.seen.limit("warn_bytes")) continue;
    if (unit.unit.find(' ') != std::string::npos) {
      memlock_of_files(unit.unit, to);
      continue;
    }
    const std::string directory = "/etc/systemd/system/" + unit.unit + ".d";
    to.generic("mkdir -p " + directory + " && printf '[Service]\\nLimitMEMLOCK=infinity\\n' > " + directory +
                   "/memlock.conf && systemctl daemon-reload",
               "then restart " + unit.unit, true);
  }
}

/// Those of the kernel's tools, whatever the vendor.
void write_generic(Recipe recipe, RecipeWriter& to) {
  switch (recipe) {
    case Recipe::Trust:
      return trust(to);
    case Recipe::DscpMap:
      return dscp_map(to);
    case Recipe::Pfc:
      return pfc(to);
    case Recipe::NoPause:
      return link_pause(to);
    case Recipe::Tos:
      return tos(to);
    case Recipe::Ets:
      return ets(to);
    case Recipe::Buffers:
      return buffers(to);
    case Recipe::StallWatchdog:
      return to.generic("ethtool --set-tunable " + to.netdev + " pfc-prevention-tout auto",
                        std::string("stops pausing after 100 ms of stall; ") + kQosNote);
    case Recipe::Mtu:
      return mtu(to);
    case Recipe::Gid:
      return to.generic(
          "grep . /sys/class/infiniband/" + to.device + "/ports/" + to.port + "/gid_attrs/types/* 2>/dev/null",
          kLooksOnly);
    case Recipe::RoceMode:
      return roce_mode(to);
    case Recipe::Iommu:
      return to.generic("grubby --update-kernel=ALL --args=iommu=pt", kRebootNote, true);
    case Recipe::Pcie:
      if (!to.pci.empty())
        to.generic("lspci -vvv -s " + to.pci + " | grep -E 'LnkCap|LnkSta'",
                   "only shows; then reseat the card, check riser and slot, and the firmware's link settings");
      return;
    case Recipe::Mrrs:
      return mrrs(to);
    case Recipe::Mps:
      if (!to.pci.empty()) to.generic("grubby --update-kernel=ALL --args=pci=pcie_bus_perf", kRebootNote, true);
      return;
    case Recipe::Acs:
      return acs(to);
    case Recipe::RelaxedOrdering:
      if (!to.pci.empty())
        to.generic("setpci -s " + to.pci + " CAP_EXP+8.w=10:10",
                   "not persistent across reboot; the kernel keeps it off below root ports that cannot do it");
      return;
    case Recipe::Topology:
      to.generic("lspci -tv", "only shows how GPUs and NICs are wired");
      return to.generic("nvidia-smi topo -m", "only shows; on AMD: rocm-smi --showtopo");
    case Recipe::Fec:
      return to.generic("ethtool --set-fec " + to.netdev + " encoding rs",
                        std::string("on both ends of the cable; ") + kNetworkNote);
    case Recipe::Optic:
      return to.generic("ethtool -m " + to.netdev, "only shows; then clean or replace cable and module");
    case Recipe::Firmware:
      if (!to.pci.empty()) to.generic("devlink dev info pci/" + to.pci, "only shows what is installed");
      return;
    case Recipe::Switch:
      return switch_side(to);
    case Recipe::LinkUp:
      if (!to.seen.has_member() || !to.seen.member().link.admin_up.value_or(false))
        to.generic("ip link set dev " + to.netdev + " up", kNetworkNote);
      return;
    case Recipe::LinkSpeed:
      return link_speed(to);
    case Recipe::Memlock:
      return memlock(to);
    case Recipe::RdmaDriver:
      return rdma_driver(to);
    case Recipe::EgressMap:
      return egress_map(to);
    case Recipe::RateLimit:
      return rate_limit(to);
    case Recipe::Rings:
      return to.generic("ethtool -g " + to.netdev,
                        "only shows; then ethtool -G with the greatest sizes, for the network stack's rings");
    case Recipe::Application:
      if (!to.device.empty())
        to.generic("rdma resource show qp link " + to.device + "/" + to.port,
                   "only shows which programs have queue pairs here, as root");
      return;
    case Recipe::Lldp:
      to.generic("lldptool -t -n -i " + to.netdev, "only shows what the switch announces, where lldpad runs");
      return to.generic("lldpcli show neighbors ports " + to.netdev + " details", "the same where lldpd runs");
    // The vendors' alone.
    case Recipe::None:
    case Recipe::Ecn:
    case Recipe::Cnp:
    case Recipe::RoceAccelerations:
      return;
    case Recipe::NumaAffinity:
    case Recipe::NumaBalancing:
    case Recipe::CpuGovernor:
    case Recipe::GpuDirect:
    case Recipe::DriverStack:
    case Recipe::ArpIsolation:
    case Recipe::LocalTraffic:
    case Recipe::Lag:
      to.commands = host_commands(recipe, to.seen, to.netdev);
      return;
  }
}

}  // namespace

std::vector<FixCommand> commands_for(Recipe recipe, const Evidence& seen) {
  RecipeWriter writer(seen);
  if (recipe == Recipe::Fec && no_cable(seen)) return {};
  if (recipe == Recipe::Gid)  // the cure before what only looks
    writer.generic("ip address add ADDRESS/PREFIX dev " + writer.netdev,
                   std::string("where it has none; ") + kNetworkNote);
  write_vendor_commands(recipe, writer);
  write_generic(recipe, writer);
  return std::move(writer.commands);
}

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/recipes.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/host_recipes.h"
#include "rules/pcie/gpu_paths.h"
#include "rules/rule.h"
#include "rules/wording.h"

// Syntax of dcb: iproute2 6.1. `dcb apptrust` is not among the commands: no driver of a RoCE NIC implements it.

namespace roceready::rules {
namespace {

constexpr const char* kQosNote = "not persistent across reboot: put it into a udev rule or a unit that runs at boot";
constexpr const char* kNetworkNote =
    "not persistent across reboot: put it into the network configuration (netplan, NetworkManager, ifupdown)";
constexpr const char* kLooksOnly = "only shows";

/// Writes the commands of one finding.
class Writer {
 public:
  explicit Writer(const Evidence& seen) : seen_(seen), vendor_(seen.vendor()) {
    if (seen.rule().scope == Scope::Node) return;
    netdev_ = netdev_name(seen);
    device_ = seen.port().device;
    port_ = std::to_string(seen.port().port);
    if (seen.pci() != nullptr) pci_ = seen.pci()->address;
  }

  std::vector<FixCommand> commands_of(Recipe recipe) {
    switch (recipe) {
      case Recipe::None:
        break;
      case Recipe::Trust:
        trust();
        break;
      case Recipe::DscpMap:
        dscp_map();
        break;
      case Recipe::Pfc:
        pfc();
        break;
      case Recipe::NoPause:
        generic("ethtool -A " + netdev_ + " rx off tx off", kNetworkNote);
        break;
      case Recipe::Tos:
        tos();
        break;
      case Recipe::Ecn:
        ecn();
        break;
      case Recipe::Cnp:
        cnp();
        break;
      case Recipe::Ets:
        ets();
        break;
      case Recipe::Buffers:
        buffers();
        break;
      case Recipe::StallWatchdog:
        generic("ethtool --set-tunable " + netdev_ + " pfc-prevention-tout auto",
                std::string("stops pausing after 100 ms of stall; ") + kQosNote);
        break;
      case Recipe::Mtu:
        mtu();
        break;
      case Recipe::Gid:
        gid();
        break;
      case Recipe::RoceMode:
        roce_mode();
        break;
      case Recipe::Iommu:
        generic("grubby --update-kernel=ALL --args=iommu=pt",
                "takes a reboot; without grubby: GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub", true);
        break;
      case Recipe::Pcie:
        if (!pci_.empty())
          generic("lspci -vvv -s " + pci_ + " | grep -E 'LnkCap|LnkSta'",
                  "only shows; then reseat the card, check riser and slot, and the firmware's link settings");
        break;
      case Recipe::Mrrs:
        mrrs();
        break;
      case Recipe::Mps:
        if (!pci_.empty())
          generic("grubby --update-kernel=ALL --args=pci=pcie_bus_perf",
                  "takes a reboot; without grubby: GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub", true);
        break;
      case Recipe::Acs:
        acs();
        break;
      case Recipe::RelaxedOrdering:
        if (pci_.empty()) break;
        of("nvidia", "mlxconfig -d " + pci_ + " set PCI_WR_ORDERING=force_relax", "takes a reset of the NIC", true);
        generic("setpci -s " + pci_ + " CAP_EXP+8.w=10:10",
                "not persistent across reboot; the kernel keeps it off below root ports that cannot do it");
        break;
      case Recipe::Topology:
        generic("lspci -tv", "only shows how GPUs and NICs are wired");
        generic("nvidia-smi topo -m", "only shows; on AMD: rocm-smi --showtopo");
        break;
      case Recipe::Fec:
        if (no_cable()) break;
        of("amd", "nicctl update port --all --fec-type rs", "on both ends of the cable");
        generic("ethtool --set-fec " + netdev_ + " encoding rs",
                std::string("on both ends of the cable; ") + kNetworkNote);
        break;
      case Recipe::Optic:
        of("nvidia", "mlxlink -d " + device_ + " -c -m", kLooksOnly);
        of("amd", "nicctl show transceiver", kLooksOnly);
        generic("ethtool -m " + netdev_, "only shows; then clean or replace cable and module");
        break;
      case Recipe::Firmware:
        of("nvidia", "mlxfwmanager --query", "only shows what is installed and available");
        if (!pci_.empty()) generic("devlink dev info pci/" + pci_, "only shows what is installed");
        break;
      case Recipe::Switch:
        switch_side();
        break;
      case Recipe::LinkUp:
        if (!seen_.has_member() || !seen_.member().link.admin_up.value_or(false))
          generic("ip link set dev " + netdev_ + " up", kNetworkNote);
        break;
      case Recipe::LinkSpeed:
        link_speed();
        break;
      case Recipe::Memlock:
        memlock();
        break;
      case Recipe::RdmaDriver:
        rdma_driver();
        break;
      case Recipe::NumaAffinity:
      case Recipe::NumaBalancing:
      case Recipe::CpuGovernor:
      case Recipe::GpuDirect:
      case Recipe::DriverStack:
      case Recipe::ArpIsolation:
      case Recipe::LocalTraffic:
      case Recipe::Lag:
        return host_commands(recipe, seen_, netdev_);
      case Recipe::EgressMap:
        egress_map();
        break;
      case Recipe::RateLimit:
        rate_limit();
        break;
      case Recipe::Rings:
        generic("ethtool -g " + netdev_,
                "only shows; then ethtool -G with the greatest sizes, for the network stack's rings");
        break;
      case Recipe::Application:
        if (!device_.empty())
          generic("rdma resource show qp link " + device_ + "/" + port_,
                  "only shows which programs have queue pairs here, as root");
        break;
      case Recipe::RoceAccelerations:
        of("nvidia", "mlxreg -d " + (pci_.empty() ? device_ : pci_) + " --reg_name ROCE_ACCL --get",
           "only shows; roce_adp_retrans_en and its kin can be set with --set");
        break;
      case Recipe::Lldp:
        lldp();
        break;
    }
    return std::move(commands_);
  }

 private:
  /// Exactly one agent may speak DCBX on a port.
  void lldp() {
    of("nvidia", "mlnx_qos -i " + netdev_ + " -d os", "the host, not the firmware, decides on QoS; not persistent");
    of("nvidia", "mlxconfig -d " + (pci_.empty() ? device_ : pci_) + " query LLDP_NB_DCBX_P1 LLDP_NB_RX_MODE_P1",
       "only shows what the firmware's agent does");
    of("intel", "ethtool --set-priv-flags " + netdev_ + " fw-lldp-agent off", kNetworkNote);
    generic("lldptool -t -n -i " + netdev_, "only shows what the switch announces, where lldpad runs");
    generic("lldpcli show neighbors ports " + netdev_ + " details", "the same where lldpd runs");
  }
  void add(std::string vendor, std::string command, std::string note, bool persistent) {
    commands_.push_back({std::move(vendor), std::move(command), persistent, std::move(note)});
  }
  /// A command for the NICs of one vendor; left out on others.
  void of(const char* vendor, std::string command, std::string note, bool persistent = false) {
    if (vendor_ == vendor) add(vendor, std::move(command), std::move(note), persistent);
  }
  void generic(std::string command, std::string note, bool persistent = false) {
    add("generic", std::move(command), std::move(note), persistent);
  }
  [[nodiscard]] const Profile* profile() const { return seen_.profile(); }
  /// "0,0,0,1,0,0,0,0" for priority 3 alone.
  [[nodiscard]] static std::string bit_list(std::uint8_t mask) {
    std::string out;
    for (std::uint32_t p = 0; p < kPriorities; ++p)
      out += std::string(p > 0 ? "," : "") + ((mask >> p & 1U) != 0 ? "1" : "0");
    return out;
  }
  /// `prefix`P`suffix` for every priority of the mask, blanks between.
  [[nodiscard]] static std::string each_priority(std::uint8_t mask, const std::string& prefix,
                                                 const std::string& suffix) {
    std::string out;
    for (std::uint32_t p = 0; p < kPriorities; ++p)
      if ((mask >> p & 1U) != 0) out += prefix + std::to_string(p) + suffix;
    return out;
  }
  [[nodiscard]] std::string dscp() const { return std::to_string(profile()->roce_dscp); }
  [[nodiscard]] std::string priority() const { return std::to_string(profile()->roce_priority); }
  /// ToS byte: the DSCP, and ECT(0) where the design marks.
  [[nodiscard]] std::string tos_byte() const {
    return std::to_string(profile()->roce_dscp * 4 + (profile()->mode == kPfcOnly ? 0 : 2));
  }

  /// Broadcom's script sets classes, PFC and congestion control in one go.
  void broadcom_setup() {
    const Profile& p = *profile();
    const char* mode = p.mode == kPfcOnly ? "1" : p.mode == kLossy ? "2" : "3";
    std::string command =
        "bnxt_setupcc.sh -d " + device_ + " -i " + netdev_ + " -m " + mode + " -s " + dscp() + " -r " + priority();
    if (p.cnp_dscp && p.cnp_priority)
      command += " -p " + std::to_string(*p.cnp_dscp) + " -c " + std::to_string(*p.cnp_priority);
    of("broadcom", command, std::string("sets trust, DSCP map, PFC and congestion control; ") + kQosNote);
  }
  void trust() {
    if (profile() == nullptr) return;
    of("nvidia", "mlnx_qos -i " + netdev_ + " --trust dscp", kQosNote);
    broadcom_setup();
    of("intel", "ethtool --set-priv-flags " + netdev_ + " fw-lldp-agent off",
       "DSCP needs the firmware's LLDP agent off", true);
    of("amd", "nicctl update qos --classification-type dscp", "for all ports of the card");
    // On mlx5 and ice one DSCP entry switches the port to DSCP trust; Broadcom's and AMD's trust is not set that way.
    if (vendor_ != "broadcom" && vendor_ != "amd")
      generic("dcb app add dev " + netdev_ + " dscp-prio " + dscp() + ":" + priority(),
              std::string("a DSCP entry switches the port to DSCP; ") + kQosNote);
  }
  void dscp_map() {
    if (profile() == nullptr) return;
    std::vector<std::pair<std::string, std::string>> map = {{dscp(), priority()}};
    if (profile()->cnp_dscp && profile()->cnp_priority)
      map.emplace_back(std::to_string(*profile()->cnp_dscp), std::to_string(*profile()->cnp_priority));
    std::string entries;
    for (const auto& [from, to] : map) {
      of("nvidia", "mlnx_qos -i " + netdev_ + " --dscp2prio set," + from + "," + to, kQosNote);
      of("amd", "nicctl update qos dscp-to-priority --dscp " + from + " --priority " + to, "for all ports of the card");
      entries += " " + from + ":" + to;
    }
    broadcom_setup();
    if (vendor_ != "amd") generic("dcb app replace dev " + netdev_ + " dscp-prio" + entries, kQosNote);
  }
  void pfc() {
    if (profile() == nullptr || profile()->pfc_priorities == 0) return;
    const std::uint8_t mask = profile()->pfc_priorities;
    of("nvidia", "mlnx_qos -i " + netdev_ + " --pfc " + bit_list(mask), kQosNote);
    broadcom_setup();
    of("intel", "ethtool --set-priv-flags " + netdev_ + " fw-lldp-agent off",
       "the firmware's LLDP agent would overrule it", true);
    of("amd", "nicctl update port --all --pause-type pfc --rx-pause enable --tx-pause enable",
       "for all ports of the card");
    for (std::uint32_t p = 0; p < kPriorities; ++p)
      if ((mask >> p & 1U) != 0)
        of("amd", "nicctl update qos pfc --priority " + std::to_string(p) + " --no-drop enable",
           "for all ports of the card");
    if (vendor_ != "amd")
      generic("dcb pfc set dev " + netdev_ + " prio-pfc all:off" + each_priority(mask, " ", ":on"), kQosNote);
  }
  void tos() {
    if (profile() == nullptr) return;
    const std::string byte = tos_byte(), directory = "/sys/kernel/config/rdma_cm/" + device_;
    of("nvidia", "cma_roce_tos -d " + device_ + " -t " + byte, std::string("for RDMA-CM; ") + kQosNote);
    of("nvidia", "echo " + byte + " > /sys/class/infiniband/" + device_ + "/tc/" + port_ + "/traffic_class",
       std::string("for all queue pairs, NVIDIA's own driver only; ") + kQosNote);
    generic("mkdir -p " + directory + " && echo " + byte + " > " + directory + "/ports/" + port_ + "/default_roce_tos",
            std::string("for RDMA-CM; ") + kQosNote);
    generic("export NCCL_IB_TC=" + byte + " UCX_IB_TRAFFIC_CLASS=" + byte, "in the environment of the jobs");
  }
  void ecn() {
    if (profile() == nullptr || profile()->mode == kPfcOnly) return;
    const std::string directory = "/sys/class/net/" + netdev_ + "/ecn/";
    for (const char* role : {"roce_np", "roce_rp"})
      of("nvidia", "echo 1 > " + directory + role + "/enable/" + priority(),
         std::string("NVIDIA's own driver only; ") + kQosNote);
    broadcom_setup();
    of("intel", "echo 1 > /sys/kernel/config/irdma/" + device_ + "/roce_dcqcn_enable",
       std::string("Intel's own driver only; ") + kQosNote);
  }
  void cnp() {
    if (profile() == nullptr || !profile()->cnp_dscp || !profile()->cnp_priority) return;
    const std::string directory = "/sys/class/net/" + netdev_ + "/ecn/roce_np/";
    of("nvidia", "echo " + std::to_string(*profile()->cnp_dscp) + " > " + directory + "cnp_dscp",
       std::string("NVIDIA's own driver only; ") + kQosNote);
    of("nvidia", "echo " + std::to_string(*profile()->cnp_priority) + " > " + directory + "cnp_802p_prio",
       std::string("NVIDIA's own driver only; ") + kQosNote);
    broadcom_setup();
  }
  /// A class for each priority; half of the bandwidth or what the profile wants for RoCE, the rest for the default
  /// class, congestion notifications strict.
  void ets() {
    if (profile() != nullptr && profile()->roce_priority != 0) {
      const std::uint32_t roce = profile()->roce_priority, share = profile()->roce_ets_min_percent.value_or(50);
      std::string words, percents, named, shares;
      for (std::uint32_t c = 0; c < kPriorities; ++c) {
        const bool strict = profile()->cnp_priority && *profile()->cnp_priority == c && c != roce && c != 0;
        const std::string word = strict ? "strict" : "ets", comma = c > 0 ? "," : "";
        const std::string percent_of_class = std::to_string(c == roce ? share : c == 0 ? 100 - share : 0);
        words += comma + word;
        percents += comma + (strict ? "0" : percent_of_class);
        named += " " + std::to_string(c) + ":" + word;
        if (!strict) shares += " " + std::to_string(c) + ":" + percent_of_class;
      }
      of("nvidia", "mlnx_qos -i " + netdev_ + " --tsa " + words + " --tc_bw " + percents, kQosNote);
      if (vendor_ != "amd" && vendor_ != "intel")
        generic("dcb ets set dev " + netdev_ + " tc-tsa" + named + " tc-bw" + shares, kQosNote);
    }
    generic("dcb ets show dev " + netdev_, kLooksOnly);
  }
  void egress_map() {
    if (profile() == nullptr) return;
    for (const std::string& name : seen_.port().uppers) {
      const Netdev* upper = seen_.now().netdev(name);
      if (upper == nullptr || upper->link.kind != "vlan") continue;
      generic("ip link set dev " + name + " type vlan egress-qos-map 0:" + priority(), kNetworkNote);
    }
    generic("ip -d link show dev " + netdev_, kLooksOnly);
  }
  /// Kilobits a second; 0 lifts the limit.
  void rate_limit() {
    if (profile() == nullptr) return;
    of("nvidia", "mlnx_qos -i " + netdev_ + " --ratelimit 0,0,0,0,0,0,0,0", kQosNote);
    const Reading<EtsFacts> ets = seen_.has_member() ? seen_.member().dcb.ets : Reading<EtsFacts>();
    const std::uint32_t roce_class = ets ? ets->priority_to_class[profile()->roce_priority] : profile()->roce_priority;
    generic("dcb maxrate set dev " + netdev_ + " tc-maxrate " + std::to_string(roce_class) + ":0", kQosNote);
  }
  void buffers() {
    if (profile() == nullptr || profile()->pfc_priorities == 0) return;
    const std::uint8_t mask = profile()->pfc_priorities;
    of("nvidia", "mlnx_qos -i " + netdev_ + " --prio2buffer " + bit_list(mask) + " --cable_len METRES",
       std::string("a buffer of its own for the lossless class; METRES is the length of the cable; ") + kQosNote);
    if (vendor_ == "nvidia")
      generic("dcb buffer set dev " + netdev_ + " prio-buffer all:0" + each_priority(mask, " ", ":1"), kQosNote);
    else
      generic("dcb buffer show dev " + netdev_, kLooksOnly);
  }
  void mtu() {
    if (seen_.has_member() && profile() != nullptr && seen_.member().link.mtu &&
        *seen_.member().link.mtu >= profile()->host_mtu)
      return;  // this end is right already; what is left is the switch
    const std::uint32_t bytes = profile() != nullptr ? profile()->host_mtu : Profile{}.host_mtu;
    generic("ip link set dev " + netdev_ + " mtu " + std::to_string(bytes),
            std::string("the switch needs at least as much; VLANs and bonds too; ") + kNetworkNote);
  }
  void gid() {
    generic("ip address add ADDRESS/PREFIX dev " + netdev_, std::string("where it has none; ") + kNetworkNote);
    of("nvidia", "show_gids " + device_, "only shows; then set the index in the applications (NCCL_IB_GID_INDEX)");
    generic("grep . /sys/class/infiniband/" + device_ + "/ports/" + port_ + "/gid_attrs/types/* 2>/dev/null",
            kLooksOnly);
  }
  void roce_mode() {
    const std::string directory = "/sys/kernel/config/rdma_cm/" + device_;
    of("nvidia", "cma_roce_mode -d " + device_ + " -p " + port_ + " -m 2", kQosNote);
    of("intel", "modprobe -r irdma && modprobe irdma roce_ena=1", "interrupts RDMA; lasting in /etc/modprobe.d");
    generic("mkdir -p " + directory + " && echo 'RoCE v2' > " + directory + "/ports/" + port_ + "/default_roce_mode",
            kQosNote);
  }
  void link_speed() {
    generic("ethtool -s " + netdev_ + " autoneg on", kNetworkNote);
    if (profile() != nullptr && profile()->link_speed_bits_per_second)
      generic("ethtool -s " + netdev_ + " speed " + std::to_string(*profile()->link_speed_bits_per_second / 1000000),
              std::string("where autonegotiation is not used; ") + kNetworkNote);
  }
  /// On the switch port that the netdev is connected to; PORT stands for it.
  void switch_side() {
    if (profile() == nullptr) return;
    const std::uint8_t mask = profile()->pfc_priorities;
    const std::string where = "on the switch; PORT is where " + netdev_ + " is connected";
    add("cumulus", std::string("nv set qos roce mode ") + (mask == 0 ? "lossy" : "lossless") + " && nv config apply",
        "on the switch", true);
    if (mask == 0) return;
    for (std::uint32_t p = 0; p < kPriorities; ++p)
      if ((mask >> p & 1U) != 0)
        add("sonic", "config interface pfc priority PORT " + std::to_string(p) + " on", where, false);
    add("sonic", "pfcwd start --action drop PORT 200 --restoration-time 200", where + ": its PFC watchdog", false);
    for (std::uint32_t p = 0; p < kPriorities; ++p)
      if ((mask >> p & 1U) != 0)
        add("arista", "priority-flow-control priority " + std::to_string(p) + " no-drop", where, false);
  }
  /// The NIC itself says that nothing is plugged in: no setting helps.
  bool no_cable() const {
    const auto why = seen_.has_member() ? field(seen_.member().ethtool.link_state, &LinkState::extended_state)
                                        : Reading<std::string>();
    return why && *why == "No cable";
  }
  /// Bits 14:12 of PCIe Device Control; the mask leaves the other bits alone.
  void mrrs() {
    if (pci_.empty()) return;
    generic("lspci -vvv -s " + pci_ + " | grep MaxReadReq", kLooksOnly);
    generic("setpci -s " + pci_ + " CAP_EXP+8.w=5000:7000",
            "4096 bytes; not persistent across reboot, prefer the BIOS option; some platforms are faster with 512");
  }
  /// ACS redirect off on the bridges below the switch that a GPU and this NIC share, and on that switch's ports alone.
  void acs() {
    std::string disable;
    for (const std::string& bridge : bridges_that_redirect(seen_)) {
      generic("setpci -s " + bridge + " ECAP_ACS+6.w=0:1c",
              "bare metal only, never under virtual machines; not persistent across reboot");
      disable += (disable.empty() ? "" : ";") + bridge;
    }
    if (!disable.empty())
      generic("grubby --update-kernel=ALL --args='pci=disable_acs_redir=" + disable + "'",
              "the same from boot on, with a recent kernel; with virtual machines use ATS on the NIC instead", true);
  }
  void rdma_driver() {
    const auto module_of = [](const std::string& driver) -> std::string {
      if (driver == "mlx5_core") return "mlx5_ib";
      if (driver == "mlx4_core" || driver == "mlx4_en") return "mlx4_ib";
      if (driver == "bnxt_en") return "bnxt_re";
      if (driver == "ice" || driver == "i40e") return "irdma";
      if (driver == "ionic") return "ionic_rdma";
      return "";
    };
    std::set<std::string> modules;
    for (const NicWithoutRdma& nic : seen_.now().nics_without_rdma) modules.insert(module_of(nic.driver));
    modules.erase("");
    for (const std::string& module : modules) add("generic", "modprobe " + module, "the NIC's own RDMA module", false);
    add("generic", "modprobe -a rdma_ucm ib_uverbs", "the modules that programs need beside it", false);
    add("generic", "dmesg | grep -iE 'rdma|infiniband|mlx5|bnxt|irdma'", "shows what the driver said", false);
  }
  void memlock() {
    const Reading<std::vector<MemlockLimit>>& units = seen_.now().host.memlock;
    if (!units) return;
    for (const MemlockLimit& unit : *units) {
      if (!unit.bytes || static_cast<double>(*unit.bytes) >= seen_.limit("warn_bytes")) continue;
      const std::string directory = "/etc/systemd/system/" + unit.unit + ".d";
      generic("mkdir -p " + directory + " && printf '[Service]\\nLimitMEMLOCK=infinity\\n' > " + directory +
                  "/memlock.conf && systemctl daemon-reload",
              "then restart " + unit.unit, true);
    }
  }

  const Evidence& seen_;
  std::string vendor_, netdev_, device_, port_, pci_;
  std::vector<FixCommand> commands_;
};

}  // namespace

std::vector<FixCommand> commands_for(Recipe recipe, const Evidence& seen) {
  return Writer(seen).commands_of(recipe);
}

}  // namespace roceready::rules

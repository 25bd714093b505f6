// SPDX-License-Identifier: Apache-2.0
#include "rules/profile.h"

// The values of docs/profiles.md. Cells that a site chooses for itself hold the commonest choice: the configuration
// changes them (profile_changes.h).

namespace roceready::rules {
namespace {

constexpr std::uint8_t bit(unsigned priority) {
  return static_cast<std::uint8_t>(1U << priority);
}

Profile nvidia_lossless() {
  Profile p;
  p.name = "nvidia-lossless";
  p.title = "PFC and ECN: DSCP 26 on priority 3, congestion notifications on 6 (NVIDIA defaults)";
  p.mode = kLossless;
  p.vendor = "nvidia";
  p.trust = "dscp";
  p.roce_dscp = 26;
  p.roce_priority = 3;
  p.pfc_priorities = bit(3);
  p.cnp_dscp = 48;
  p.cnp_priority = 6;
  p.cnp_strict = true;
  p.congestion_control = CongestionControl::Dcqcn;
  p.ecn = Ecn::On;
  p.roce_ets_min_percent = 50;
  p.dcbx = Dcbx::Static;
  p.nic_watchdog = NicWatchdog::Default;
  return p;
}

Profile broadcom_lossless() {
  Profile p = nvidia_lossless();
  p.name = "broadcom-lossless";
  p.title = "PFC and ECN: DSCP 26 on priority 3, congestion notifications on 7 (Broadcom defaults)";
  p.vendor = "broadcom";
  p.cnp_priority = 7;
  p.dcbx = Dcbx::Any;  // willing by the firmware's default, and to be set as the site has it
  return p;
}

Profile intel_e800_lossless() {
  Profile p = nvidia_lossless();
  p.name = "intel-e800-lossless";
  p.title = "PFC on one class and ECN, DSCP chosen by the site (Intel E800)";
  p.vendor = "intel";
  p.cnp_dscp.reset();
  p.cnp_priority.reset();
  p.cnp_strict = false;
  p.congestion_control_optional = true;  // the driver's default is off
  p.roce_ets_min_percent.reset();
  p.dcbx = Dcbx::Any;
  p.nic_watchdog = NicWatchdog::Any;
  return p;
}

Profile amd_pollara() {
  Profile p = nvidia_lossless();
  p.name = "amd-pollara";
  p.title = "PFC and ECN: DSCP 24 on priority 3, control packets DSCP 46 on 6 (AMD Pollara)";
  p.vendor = "amd";
  p.roce_dscp = 24;
  p.cnp_dscp = 46;
  p.congestion_control = CongestionControl::Other;
  p.roce_ets_min_percent.reset();
  p.dcbx = Dcbx::None;
  p.nic_watchdog = NicWatchdog::Any;
  return p;
}

Profile sonic_two_class() {
  Profile p = nvidia_lossless();
  p.name = "sonic-two-class";
  p.title = "PFC and ECN with two lossless classes, DSCP 3 on 3 and 4 on 4 (SONiC maps)";
  p.vendor.clear();
  p.roce_dscp = 3;
  p.pfc_priorities = bit(3) | bit(4);
  p.second_dscp = 4;
  p.second_priority = 4;
  p.roce_ets_min_percent.reset();
  p.switch_mtu = 9100;
  return p;
}

Profile azure_local() {
  Profile p = nvidia_lossless();
  p.name = "azure-local";
  p.title = "Storage on tagged VLANs: priority 3 (or 4) lossless, 7 for the cluster heartbeat (Azure Local fabric)";
  p.vendor.clear();
  p.trust = "pcp";
  p.priority_choices = bit(3) | bit(4);
  p.cnp_dscp.reset();
  p.cnp_priority.reset();
  p.cnp_strict = false;
  p.congestion_control = CongestionControl::Any;
  p.lldp_required = true;
  p.heartbeat_priority = 7;
  p.nic_watchdog = NicWatchdog::Any;
  return p;
}

Profile azure_local_switchless() {
  Profile p = azure_local();
  p.name = "azure-local-switchless";
  p.title = "As azure-local, with the nodes wired to each other: no switch to hear by LLDP";
  p.lldp_required = false;
  return p;
}

Profile meta_pfc_only() {
  Profile p = nvidia_lossless();
  p.name = "meta-pfc-only";
  p.title = "PFC without congestion control of the NIC: the collective library admits";
  p.mode = kPfcOnly;
  p.vendor.clear();
  p.cnp_dscp.reset();
  p.cnp_priority.reset();
  p.cnp_strict = false;
  p.congestion_control = CongestionControl::Off;
  p.ecn = Ecn::Any;
  p.roce_ets_min_percent.reset();
  p.pause_warn = 0.05;
  p.dcbx = Dcbx::Any;
  p.nic_watchdog = NicWatchdog::Any;
  return p;
}

Profile lossy_ecn() {
  Profile p = nvidia_lossless();
  p.name = "lossy-ecn";
  p.title = "ECN without PFC: the NIC recovers from loss";
  p.mode = kLossy;
  p.vendor.clear();
  p.pfc_priorities = 0;
  p.loss_warn = 1e-4;
  p.loss_crit = 1e-3;
  p.dcbx = Dcbx::Any;
  p.nic_watchdog = NicWatchdog::Any;
  return p;
}

Profile semi_lossless() {
  Profile p = lossy_ecn();
  p.name = "semi-lossless";
  p.title = "As lossy-ecn, and the host obeys pause of its switch without passing it on";
  p.semi_lossless = true;
  p.loss_warn = 1e-5;
  return p;
}

Profile ztr_rtt() {
  Profile p = lossy_ecn();
  p.name = "ztr-rtt";
  p.title = "Zero-touch RoCE: congestion control by round-trip time, no PFC, no class needed";
  p.trust = "any";
  p.congestion_control = CongestionControl::Other;
  p.ecn = Ecn::Any;
  p.cnp_dscp.reset();
  p.cnp_priority.reset();
  p.cnp_strict = false;
  return p;
}

Profile spray_ar() {
  Profile p = nvidia_lossless();
  p.name = "spray-ar";
  p.title = "Adaptive routing or packet spraying: packets arrive in any order, and that is no loss";
  p.vendor.clear();
  p.adaptive_routing = true;
  return p;
}

/// Pause of the whole link stands in for PFC: nothing may be lost, no class is asked for, no ECN.
Profile lfc_simple() {
  Profile p;
  p.name = "lfc-simple";
  p.title = "Link-level pause instead of PFC: back to back, or one small dedicated switch";
  p.mode = kPfcOnly;
  p.trust = "any";
  p.pfc_priorities = 0;
  p.global_pause = GlobalPause::Required;
  return p;
}

Profile not_roce() {
  Profile p;
  p.name = "not-roce";
  p.title = "InfiniBand, iWARP, software RDMA and the like: link, PCIe and host only";
  p.mode = kNotRoce;
  p.trust = "any";
  p.pfc_priorities = 0;
  p.global_pause = GlobalPause::Any;
  return p;
}

}  // namespace

std::vector<Profile> profiles_table() {
  return {nvidia_lossless(),
          broadcom_lossless(),
          intel_e800_lossless(),
          amd_pollara(),
          sonic_two_class(),
          azure_local(),
          meta_pfc_only(),
          azure_local_switchless(),
          lossy_ecn(),
          semi_lossless(),
          ztr_rtt(),
          spray_ar(),
          lfc_simple(),
          not_roce()};
}

}  // namespace roceready::rules

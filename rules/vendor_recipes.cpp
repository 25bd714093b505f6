// SPDX-License-Identifier: Apache-2.0
// What each vendor's own tools do. A vendor is one function here; what the kernel's tools do for all is recipes.cpp.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/buffer_plan.h"
#include "rules/ets_plan.h"
#include "rules/recipe_writer.h"

namespace roceready::rules {
namespace {

/// A traffic class that is forced on all queue pairs overrules what RDMA-CM and programs ask for: then it comes first.
void nvidia_tos(RecipeWriter& to) {
  const FixCommand of_cm{"nvidia", "cma_roce_tos -d " + to.device + " -t " + to.tos_byte(), false,
                         std::string("for RDMA-CM; ") + kQosNote};
  const FixCommand of_all{
      "nvidia", "echo " + to.tos_byte() + " > /sys/class/infiniband/" + to.device + "/tc/" + to.port + "/traffic_class",
      false, std::string("for all queue pairs, NVIDIA's own driver only; ") + kQosNote};
  const bool forced = to.seen.rule().scope != Scope::Node && to.seen.port().forced_traffic_class.has_value();
  to.commands.push_back(forced ? of_all : of_cm);
  to.commands.push_back(forced ? of_cm : of_all);
}

/// "0,0,0,1,0,0,2,0".
template <class List>
std::string listed(const List& list) {
  std::string out;
  for (const auto& one : list) out += (out.empty() ? "" : ",") + std::to_string(one);
  return out;
}
std::string scheduling_of(const EtsPlan& plan, bool numbered) {
  std::string out;
  for (std::size_t c = 0; c < kPriorities; ++c)
    out += (c > 0 ? "," : "") + (numbered ? std::to_string(c) + ":" : "") + (plan.by_share[c] ? "ets" : "strict");
  return out;
}

/// What of map and sizes is not yet as it has to be; else the length of the cable, by which the driver sizes them.
void nvidia_buffers(RecipeWriter& to) {
  const std::optional<BufferPlan> plan = buffer_plan(to.seen);
  std::string command = "mlnx_qos -i " + to.netdev;
  if (!plan || plan->other_map) command += " --prio2buffer " + bit_list(to.profile()->pfc_priorities);
  if (plan && plan->other_sizes)
    return to.add("nvidia", command + " --buffer_size " + listed(plan->size_bytes),
                  std::string("enough for the cable length that the driver reckons with; ") + kQosNote);
  to.add("nvidia", command + " --cable_len METRES", std::string("METRES is the length of the cable; ") + kQosNote);
}

void nvidia(Recipe recipe, RecipeWriter& to) {
  const auto say = [&](std::string command, std::string note, bool persistent = false) {
    to.add("nvidia", std::move(command), std::move(note), persistent);
  };
  const Profile* profile = to.profile();
  const std::string qos = "mlnx_qos -i " + to.netdev + " ", ecn = "/sys/class/net/" + to.netdev + "/ecn/";
  const std::string own_driver = std::string("NVIDIA's own driver only; ") + kQosNote;
  switch (recipe) {
    case Recipe::Trust:
      if (profile != nullptr) say(qos + "--trust " + (profile->trust == "pcp" ? "pcp" : "dscp"), kQosNote);
      break;
    case Recipe::DscpMap:
      if (profile == nullptr) break;
      for (const auto& [from, into] : to.dscp_map()) say(qos + "--dscp2prio set," + from + "," + into, kQosNote);
      break;
    case Recipe::Pfc:
      if (to.has_lossless() || has_pfc_too_much(to)) say(qos + "--pfc " + bit_list(profile->pfc_priorities), kQosNote);
      break;
    case Recipe::Tos:
      if (profile != nullptr) nvidia_tos(to);
      break;
    case Recipe::Ecn:
      if (profile == nullptr || profile->mode == kPfcOnly) break;
      for (const char* role : {"roce_np", "roce_rp"})
        say("echo 1 > " + ecn + role + "/enable/" + to.priority(), own_driver);
      break;
    case Recipe::Cnp:
      if (profile == nullptr || !profile->cnp_dscp || !profile->cnp_priority) break;
      say("echo " + std::to_string(*profile->cnp_dscp) + " > " + ecn + "roce_np/cnp_dscp", own_driver);
      say("echo " + std::to_string(*profile->cnp_priority) + " > " + ecn + "roce_np/cnp_802p_prio", own_driver);
      break;
    case Recipe::Ets:
      if (const auto plan = ets_plan(to.seen))
        say(qos + "--prio_tc " + listed(plan->class_of) + " --tsa " + scheduling_of(*plan, false) + " --tc_bw " +
                listed(plan->percent),
            kQosNote);
      break;
    case Recipe::RateLimit:
      if (profile != nullptr) say(qos + "--ratelimit 0,0,0,0,0,0,0,0", kQosNote);  // 0 lifts the limit
      break;
    case Recipe::Buffers:
      if (to.has_lossless()) nvidia_buffers(to);
      break;
    case Recipe::Gid:
      say("show_gids " + to.device, "only shows; then set the index in the applications (NCCL_IB_GID_INDEX)");
      break;
    case Recipe::RoceMode:
      say("cma_roce_mode -d " + to.device + " -p " + to.port + " -m 2", kQosNote);
      break;
    case Recipe::RelaxedOrdering:
      if (!to.pci.empty())
        say("mlxconfig -d " + to.pci + " set PCI_WR_ORDERING=force_relax", "takes a reset of the NIC", true);
      break;
    case Recipe::Optic:
      say("mlxlink -d " + to.device + " -c -m", kLooksOnly);
      break;
    case Recipe::Firmware:
      say("mlxfwmanager --query", "only shows what is installed and available");
      break;
    case Recipe::RoceAccelerations:
      say("mlxreg -d " + to.pci_or_device() + " --reg_name ROCE_ACCL --get",
          "only shows; roce_adp_retrans_en and its kin can be set with --set");
      break;
    case Recipe::Lldp:
      say(qos + "-d os", "the host, not the firmware, decides on QoS; not persistent");
      say("mlxconfig -d " + to.pci_or_device() + " query LLDP_NB_DCBX_P1 LLDP_NB_RX_MODE_P1",
          "only shows what the firmware's agent does");
      break;
    default:
      break;
  }
}

/// One script sets classes, PFC and congestion control in one go.
void broadcom(Recipe recipe, RecipeWriter& to) {
  const Profile* profile = to.profile();
  if (profile == nullptr) return;
  if (profile->has_second_class()) return;  // it knows one class
  switch (recipe) {
    case Recipe::Trust:
    case Recipe::DscpMap:
      break;
    case Recipe::Pfc:
      if (!to.has_lossless() && !has_pfc_too_much(to)) return;
      break;
    case Recipe::Ecn:
      if (profile->mode == kPfcOnly) return;
      break;
    case Recipe::Cnp:
      if (!profile->cnp_dscp || !profile->cnp_priority) return;
      break;
    default:
      return;
  }
  const char* mode = profile->mode == kPfcOnly ? "1" : profile->mode == kLossy ? "2" : "3";
  std::string command = "bnxt_setupcc.sh -d " + to.device + " -i " + to.netdev + " -m " + mode + " -s " + to.dscp() +
                        " -r " + to.priority();
  if (profile->cnp_dscp && profile->cnp_priority)
    command += " -p " + std::to_string(*profile->cnp_dscp) + " -c " + std::to_string(*profile->cnp_priority);
  to.add("broadcom", command, std::string("sets trust, DSCP map, PFC and congestion control; ") + kQosNote);
}

void intel(Recipe recipe, RecipeWriter& to) {
  const std::string agent_off = "ethtool --set-priv-flags " + to.netdev + " fw-lldp-agent off";
  const Profile* profile = to.profile();
  switch (recipe) {
    case Recipe::Trust:
      if (profile != nullptr && profile->trust != "pcp")
        to.add("intel", agent_off, "DSCP needs the firmware's LLDP agent off", true);
      break;
    case Recipe::Pfc:
      if (to.has_lossless() || has_pfc_too_much(to))
        to.add("intel", agent_off, "the firmware's LLDP agent would overrule it", true);
      break;
    case Recipe::Ets:
      if (const auto plan = ets_plan(to.seen)) {
        std::string map;
        for (std::size_t p = 0; p < kPriorities; ++p)
          map += (p > 0 ? "," : "") + std::to_string(p) + ":" + std::to_string(plan->class_of[p]);
        to.add("intel",
               "lldptool -T -i " + to.netdev + " -V ETS-CFG willing=no up2tc=" + map +
                   " tsa=" + scheduling_of(*plan, true) + " tcbw=" + listed(plan->percent),
               "where lldpad runs, with the firmware's LLDP agent off", true);
      }
      break;
    case Recipe::Ecn:
      if (profile != nullptr && profile->mode != kPfcOnly)
        to.add("intel", "echo 1 > /sys/kernel/config/irdma/" + to.device + "/roce_dcqcn_enable",
               std::string("Intel's own driver only; ") + kQosNote);
      break;
    case Recipe::RoceMode:
      to.add("intel", "modprobe -r irdma && modprobe irdma roce_ena=1", "interrupts RDMA; lasting in /etc/modprobe.d");
      break;
    case Recipe::Lldp:
      to.add("intel", agent_off, kNetworkNote);
      break;
    default:
      break;
  }
}

void amd(Recipe recipe, RecipeWriter& to) {
  constexpr const char* kWholeCard = "for all ports of the card";
  const Profile* profile = to.profile();
  switch (recipe) {
    case Recipe::Trust:
      if (profile != nullptr && profile->trust != "pcp")
        to.add("amd", "nicctl update qos --classification-type dscp", kWholeCard);
      break;
    case Recipe::DscpMap:
      if (profile == nullptr) break;
      for (const auto& [from, into] : to.dscp_map())
        to.add("amd", "nicctl update qos dscp-to-priority --dscp " + from + " --priority " + into, kWholeCard);
      break;
    case Recipe::Pfc:
      if (has_pfc_too_much(to))
        for (std::uint8_t p = 0; p < kPriorities; ++p)
          if (to.seen.member().dcb.pfc->on(p))
            to.add("amd", "nicctl update qos pfc --priority " + std::to_string(p) + " --no-drop disable", kWholeCard);
      if (!to.has_lossless()) break;
      to.add("amd", "nicctl update port --all --pause-type pfc --rx-pause enable --tx-pause enable", kWholeCard);
      for (std::uint32_t p = 0; p < kPriorities; ++p)
        if (profile->is_lossless(static_cast<std::uint8_t>(p)))
          to.add("amd", "nicctl update qos pfc --priority " + std::to_string(p) + " --no-drop enable", kWholeCard);
      break;
    case Recipe::Fec:
      to.add("amd", "nicctl update port --all --fec-type rs", "on both ends of the cable");
      break;
    case Recipe::Optic:
      to.add("amd", "nicctl show transceiver", kLooksOnly);
      break;
    default:
      break;
  }
}

}  // namespace

void write_vendor_commands(Recipe recipe, RecipeWriter& to) {
  if (to.vendor == "nvidia") nvidia(recipe, to);
  if (to.vendor == "broadcom") broadcom(recipe, to);
  if (to.vendor == "intel") intel(recipe, to);
  if (to.vendor == "amd") amd(recipe, to);
}

}  // namespace roceready::rules

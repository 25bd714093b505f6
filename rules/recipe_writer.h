// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/recipes.h"
#include "rules/rule.h"
#include "rules/wording.h"

namespace roceready::rules {

inline constexpr const char* kQosNote =
    "not persistent across reboot: put it into a udev rule or a unit that runs at boot";
inline constexpr const char* kNetworkNote =
    "not persistent across reboot: put it into the network configuration (netplan, NetworkManager, ifupdown)";
inline constexpr const char* kLooksOnly = "only shows";

/// Names and numbers of the finding in hand, and the commands written so far.
class RecipeWriter {
 public:
  explicit RecipeWriter(const Evidence& evidence) : seen(evidence), vendor(seen.vendor()) {
    if (seen.rule().scope == Scope::Node) return;
    netdev = netdev_name(seen);
    device = seen.port().device;
    port = std::to_string(seen.port().port);
    if (seen.pci() != nullptr) pci = seen.pci()->address;
  }

  const Evidence& seen;
  std::string vendor;                     ///< as Evidence::vendor() has it
  std::string netdev, device, port, pci;  ///< "" where the subject has none
  std::vector<FixCommand> commands;

  /// `who` is a vendor, a maker of switches, or "generic".
  void add(std::string who, std::string command, std::string note, bool persistent = false) {
    commands.push_back({std::move(who), std::move(command), persistent, std::move(note)});
  }
  void generic(std::string command, std::string note, bool persistent = false) {
    add("generic", std::move(command), std::move(note), persistent);
  }

  [[nodiscard]] const Profile* profile() const { return seen.profile(); }
  [[nodiscard]] std::string pci_or_device() const { return pci.empty() ? device : pci; }
  // Of the profile; only where one is stated.
  [[nodiscard]] std::string dscp() const { return std::to_string(profile()->roce_dscp); }
  [[nodiscard]] std::string priority() const { return std::to_string(profile()->roce_priority); }
  /// ToS byte: the DSCP, and ECT(0) where the design marks.
  [[nodiscard]] std::string tos_byte() const {
    return std::to_string(profile()->roce_dscp * 4 + (profile()->mode == kPfcOnly ? 0 : 2));
  }
  /// DSCP and priority of data, of its second class and of congestion notifications where the profile has them.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> dscp_map() const {
    std::vector<std::pair<std::string, std::string>> out = {{dscp(), priority()}};
    if (profile()->has_second_class())
      out.emplace_back(std::to_string(*profile()->second_dscp), std::to_string(*profile()->second_priority));
    if (profile()->cnp_dscp && profile()->cnp_priority)
      out.emplace_back(std::to_string(*profile()->cnp_dscp), std::to_string(*profile()->cnp_priority));
    return out;
  }
  [[nodiscard]] bool has_lossless() const { return profile() != nullptr && profile()->pfc_priorities != 0; }
};

/// "0,0,0,1,0,0,0,0" for priority 3 alone.
[[nodiscard]] inline std::string bit_list(std::uint8_t mask) {
  std::string out;
  for (std::uint32_t p = 0; p < kPriorities; ++p)
    out += std::string(p > 0 ? "," : "") + ((mask >> p & 1U) != 0 ? "1" : "0");
  return out;
}
/// `prefix`P`suffix` for every priority of the mask.
[[nodiscard]] inline std::string each_priority(std::uint8_t mask, const std::string& prefix,
                                               const std::string& suffix) {
  std::string out;
  for (std::uint32_t p = 0; p < kPriorities; ++p)
    if ((mask >> p & 1U) != 0) out += prefix + std::to_string(p) + suffix;
  return out;
}

/// The design has no PFC and this NIC has it on. Where the host obeys received pause on purpose, it is meant so;
/// packets dropped for want of flow control are no reason to switch off what there is.
[[nodiscard]] inline bool has_pfc_too_much(const RecipeWriter& to) {
  const Profile* profile = to.profile();
  if (profile == nullptr || profile->pfc_priorities != 0 || profile->semi_lossless || profile->mode == kNotRoce)
    return false;
  if (!to.seen.has_member() || std::string_view(to.seen.rule().family) == "drop") return false;
  const Reading<PfcFacts>& pfc = to.seen.member().dcb.pfc;
  return pfc && pfc->enabled != 0;
}

/// The commands of the NIC's vendor for a recipe; most vendors have none for most recipes.
void write_vendor_commands(Recipe recipe, RecipeWriter& to);

}  // namespace roceready::rules

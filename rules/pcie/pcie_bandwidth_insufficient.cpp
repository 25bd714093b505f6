// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "rules/pcie/pcie_link.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

std::string_view slot_of(std::string_view address) {
  return address.substr(0, address.rfind('.'));
}

/// Whether a netdev is part of a port in scope.
bool is_in_scope(const Evidence& seen, const std::string& netdev) {
  return std::any_of(seen.now().ports.begin(), seen.now().ports.end(), [&](const RdmaPort& port) {
    return port.in_scope && std::find(port.members.begin(), port.members.end(), netdev) != port.members.end();
  });
}

/// Whether a member carries traffic: the spare of an active-backup bond does not.
bool carries_traffic(const Evidence& seen, const Netdev& netdev) {
  const Netdev* bond = seen.now().netdev(netdev.link.master);
  constexpr std::uint32_t kActiveBackup = 1;
  const bool spare = bond != nullptr && bond->link.bond && bond->link.bond->mode == kActiveBackup &&
                     !bond->link.bond->active_member.empty() && bond->link.bond->active_member != netdev.link.name;
  return netdev.link.carrier.value_or(false) && !spare;
}

struct Ports {
  double bits_per_second = 0;
  std::size_t count = 0;
};

/// Speeds of the ports in use, in scope, of all functions of the card in the slot: they share its link.
Ports ports_of_card(const Evidence& seen, const PciFunction& nic) {
  Ports out;
  for (const Netdev& netdev : seen.now().netdevs) {
    const Reading<std::string>& address = netdev.link.parent_device;
    if (!address || slot_of(*address) != slot_of(nic.address)) continue;
    const auto speed = field(netdev.ethtool.link_modes, &LinkModes::speed_bits_per_second);
    if (!speed || !is_in_scope(seen, netdev.link.name) || !carries_traffic(seen, netdev)) continue;
    out.bits_per_second += static_cast<double>(*speed);
    ++out.count;
  }
  return out;
}

/// Whether the function, as its card is built, can never carry the port: then several functions share it (multi-host,
/// socket direct), and no slot is to blame.
bool is_shared_by_design(const PciFunction& nic, double port) {
  if (!nic.max_speed || !nic.max_width || *nic.max_speed == 0 || *nic.max_width == 0) return false;
  // A limit below what the link does contradicts itself and excuses nothing.
  if (*nic.max_speed < nic.current_speed.value_or(0) || *nic.max_width < nic.current_width.value_or(0)) return false;
  return link_capacity(static_cast<double>(*nic.max_speed), *nic.max_width) < port;
}

void judge(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return;
  const Reading<double> capacity = capacity_of(*nic);
  if (!capacity) return out.unknown(capacity.absent());
  const Reading<std::uint64_t> speed = seen.link_speed();
  if (!speed && speed.absent().why == Why::NotPresent) return out.not_applicable("the link is down: no speed to carry");
  if (!speed) return out.unknown(speed.absent());

  const double port = static_cast<double>(*speed), usable = *capacity * seen.limit("efficiency");
  const Ports card = ports_of_card(seen, *nic);
  if (usable >= std::max(port, card.bits_per_second)) return out.pass();
  std::string sentence = "PCI function " + nic->address + " of " + netdev_name(seen) + " runs at " + link_words(*nic) +
                         " and carries " + bit_rate(*capacity) + ", about " + bit_rate(usable) + " of it data";
  if (usable < port)
    sentence += "; the port runs at " + bit_rate(port) + ".";
  else
    sentence +=
        "; its " + std::to_string(card.count) + " ports in use run at " + bit_rate(card.bits_per_second) + " together.";
  const bool slower = *capacity < port, shared = is_shared_by_design(*nic, port);
  // Whether the function is built for less cannot be told by files that do not state its maximum.
  const auto untold = [](const auto& reading) { return !reading && reading.absent().why == Why::NotRecorded; };
  const bool critical = slower && !untold(nic->max_speed) && !untold(nic->max_width);
  if (shared)
    sentence += " The function is built for no more than " +
                bit_rate(link_capacity(static_cast<double>(*nic->max_speed), *nic->max_width)) +
                ": on such cards several functions feed one port, and this one can fill its part of it alone.";
  Judgement& entry = out.fail(shared     ? Severity::Info
                              : critical ? Severity::Critical
                                         : Severity::Warning,
                              sentence,
                              {seen.item("data that the PCIe link carries", slower ? *capacity : usable, "bits/s", "<",
                                         usable < port ? port : card.bits_per_second,
                                         pci_source(seen, "current_link_speed, current_link_width"))});
  entry.confidence = pcie_confidence(seen, seen.bridge_above(*nic) != nullptr);
  entry.derived_threshold = !slower && seen.limit_is_derived("efficiency");
}

}  // namespace

extern const Rule kPcieBandwidthInsufficient;
constinit const Rule kPcieBandwidthInsufficient{
    .id = "pcie-bandwidth-insufficient",
    .family = "pcie",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe link cannot carry the port",
    .what =
        "Compares what the NIC's PCIe link carries now with the speed of its port, and with that of all ports in use "
        "of "
        "the card. Critical when the raw link is slower than the port, a warning when 85 % of it are, info where the "
        "function itself is built for less than its port.",
    .why = "The receive buffer fills at full load; the NIC pauses the fabric or drops.",
    .next = "Put the card into a slot with more lanes or a newer generation, or use one port of it only.",
    .likely_causes = {"slot with fewer lanes or an older generation than the card needs", "degraded PCIe link",
                      "both ports of a card in use that its slot carries one of"},
    .fix = {Recipe::Pcie},
    .traps =
        {"A second port that is not in use, and the spare of an active-backup bond, do not count.",
         "Two ports that together are more than the link are a warning: they need not be full at once.",
         "Where the link itself is degraded pcie-width-degraded or pcie-speed-degraded say so too.",
         "A function built for less than its port is one of several that feed it (multi-host, socket direct): info.",
         "In a virtual machine the link may be an emulated one: less than sure."},
    .limits = {Limit{.name = "efficiency",
                     .value = 0.85,
                     .unit = "share",
                     .min = 0.1,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the raw PCIe rate that is data, after packet headers"}},
    .facts = {"kernel-pci-link-files", "pcie-line-codes"},
    .judge = judge,
};

}  // namespace roceready::rules

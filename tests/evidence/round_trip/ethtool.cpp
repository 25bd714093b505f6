// SPDX-License-Identifier: Apache-2.0
// ethtool's settings: plain, -i, -g, --get-tunable.
#include "tests/evidence/round_trip/render.h"

namespace roceready::round_trip {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

std::string mode(const Reading<std::uint64_t>& fastest) {
  return fastest ? std::to_string(*fastest / kMega) + "baseCR4/Full" : std::string("Not reported");
}

const char* port_word(const std::string& medium) {
  if (medium == "TwistedPair") return "Twisted Pair";
  if (medium == "DirectAttach") return "Direct Attach Copper";
  if (medium == "Fibre") return "FIBRE";
  return medium == "None" ? "None" : "Other";
}

/// A list of link modes and what ethtool prints behind it.
std::string modes_of(const std::string& whose, const Reading<std::uint64_t>& fastest, const std::string& verb) {
  if (!fastest && fastest.absent().why != Why::NotPresent) return "";
  return "\t" + whose + " link modes:  " + mode(fastest) + "\n\t" + whose + " pause frame use: Symmetric\n\t" + verb +
         " auto-negotiation: Yes\n\t" + whose + " FEC modes: RS\n";
}

std::string link_modes(const LinkModes& modes) {
  std::string out = "\tSupported ports: [ FIBRE ]\n";
  out += modes_of("Supported", modes.max_supported_bits_per_second, "Supports");
  out += modes_of("Advertised", modes.max_advertised_bits_per_second, "Advertised");
  // What the partner advertises is printed where it is known alone.
  if (modes.max_peer_bits_per_second)
    out += modes_of("Link partner advertised", modes.max_peer_bits_per_second, "Link partner advertised");
  if (modes.speed_bits_per_second)
    out += "\tSpeed: " + std::to_string(*modes.speed_bits_per_second / kMega) + "Mb/s\n";
  else if (modes.speed_bits_per_second.absent().why == Why::NotPresent)
    out += "\tSpeed: Unknown!\n";
  if (modes.lanes) out += "\tLanes: " + std::to_string(*modes.lanes) + "\n";
  out += "\tDuplex: Full\n";
  if (modes.autoneg) out += std::string("\tAuto-negotiation: ") + (*modes.autoneg ? "on" : "off") + "\n";
  return out;
}

std::string link_state(const LinkState& state) {
  std::string out;
  if (state.extended_down_count) out += "\tLink Down Events: " + std::to_string(*state.extended_down_count) + "\n";
  if (!state.link) return out;
  out += std::string("\tLink detected: ") + (*state.link ? "yes" : "no");
  if (state.extended_state) {
    out += " (" + *state.extended_state;
    if (state.extended_substate) out += ", " + *state.extended_substate;
    out += ")";
  }
  return out + "\n";
}

}  // namespace

void ethtool_settings(Terminal& terminal, const Netdev& netdev) {
  const EthtoolFacts& facts = netdev.ethtool;
  std::string body;
  if (facts.link_modes) body += link_modes(*facts.link_modes);
  if (facts.medium) body += std::string("\tPort: ") + port_word(*facts.medium) + "\n\tTransceiver: internal\n";
  if (facts.link_state) body += link_state(*facts.link_state);
  if (!facts.link_modes) body = refusal(facts.link_modes.absent()) + body;
  if (!body.empty()) terminal.run("ethtool -I " + netdev.link.name, "Settings for " + netdev.link.name + ":\n" + body);
}

void ethtool_driver(Terminal& terminal, const Netdev& netdev) {
  if (!netdev.ethtool.driver) return;
  const DriverInfo& info = *netdev.ethtool.driver;
  std::string bus = info.bus_info;
  if (bus.empty()) bus = netdev.link.parent_device.value_or("");
  terminal.run("ethtool -i " + netdev.link.name,
               "driver: " + info.driver + "\nversion: " + info.version + "\nfirmware-version: " + info.firmware +
                   "\nexpansion-rom-version: \nbus-info: " + bus + "\nsupports-statistics: yes\n");
}

void ethtool_rings(Terminal& terminal, const Netdev& netdev) {
  const std::string command = "ethtool -g " + netdev.link.name;
  const Reading<RingFacts>& rings = netdev.ethtool.rings;
  if (!rings) {
    const std::string words = refusal(rings.absent());
    if (!words.empty()) terminal.run(command, words);
    return;
  }
  const auto size = [](const Reading<std::uint32_t>& entries) {
    return entries ? std::to_string(*entries) : std::string("n/a");
  };
  terminal.run(command, "Ring parameters for " + netdev.link.name + ":\nPre-set maximums:\nRX:\t\t\t" +
                            size(rings->rx_max) + "\nRX Mini:\t\tn/a\nRX Jumbo:\t\tn/a\nTX:\t\t\t" +
                            size(rings->tx_max) + "\nCurrent hardware settings:\nRX:\t\t\t" + size(rings->rx) +
                            "\nRX Mini:\t\tn/a\nRX Jumbo:\t\tn/a\nTX:\t\t\t" + size(rings->tx) + "\n");
}

void ethtool_tunable(Terminal& terminal, const Netdev& netdev) {
  const Reading<std::uint32_t>& limit = netdev.ethtool.pfc_stall_limit_ms;
  const std::string words =
      limit ? "pfc-prevention-tout: " + std::to_string(*limit) + "\n" : refusal(limit.absent(), "Cannot get tunable: ");
  if (!words.empty()) terminal.run("ethtool --get-tunable " + netdev.link.name + " pfc-prevention-tout", words);
}

}  // namespace roceready::round_trip

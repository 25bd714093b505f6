// SPDX-License-Identifier: Apache-2.0
// mlxlink -d DEVICE: "Operational Info", "State   : Active", "Speed   : 200G", "FEC   : Standard_RS-FEC - (544,514)".
#include <algorithm>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kHeadings[] = {"Operational Info", "Supported Info", "Troubleshooting Info",
                                          "Tool Information", "Module Info",    "Physical Counters and BER Info",
                                          "EYE Opening Info"};
constexpr std::string_view kOwnKeys[] = {"Physical state",
                                         "Loopback Mode",
                                         "Auto Negotiation",
                                         "Enabled Link Speed",
                                         "Enabled Link Speed (Ext.)",
                                         "Supported Cable Speed",
                                         "Supported Cable Speed (Ext.)",
                                         "Status Opcode",
                                         "Group Opcode",
                                         "Recommendation",
                                         "Firmware Version",
                                         "amBER Version",
                                         "MFT Version"};

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool made_by(std::span<const std::string> words, About& about) {
  if (words[0] != "mlxlink") return false;
  auto device = word_after(words, "-d");
  if (!device) device = word_after(words, "--device");
  if (!device) return true;
  if (const auto address = pci_address(*device))
    about.pci = *address;
  else if (is_device_name(*device) && device->find("mst") == std::string::npos)
    about.device = *device, about.port = 1;
  return true;
}

std::optional<KeyValue> aligned(std::string_view line) {
  const auto colon = line.find(" : ");
  if (colon == std::string_view::npos) return std::nullopt;
  const KeyValue pair{trim(line.substr(0, colon)), trim(line.substr(colon + 3))};
  if (pair.key.empty()) return std::nullopt;
  return pair;
}

Fit fit(std::string_view line, About&) {
  const std::string_view text = trim(line);
  if (text == "Operational Info") return Fit::Begins;
  if (holds(kHeadings, text)) return Fit::Certain;
  if (const auto pair = aligned(line))
    return holds(kOwnKeys, pair->key) && indent_of(line) == 0 ? Fit::Certain : Fit::Possible;
  const bool rule = text.size() > 4 && text.find_first_not_of('-') == std::string_view::npos;
  return rule ? Fit::Possible : Fit::No;
}

/// "200G", "200GbE", "10GbE", "IB-HDR": bits per second of an Ethernet speed.
std::optional<std::uint64_t> speed_of(std::string_view text) {
  constexpr std::uint64_t kGiga = 1'000'000'000, kFastest = 10'000;
  const auto unit = text.find('G');
  const auto gigabits = unit == std::string_view::npos ? std::nullopt : parse_u64(text.substr(0, unit));
  if (!gigabits || *gigabits == 0 || *gigabits > kFastest) return std::nullopt;
  return *gigabits * kGiga;
}

/// The snapshot's word for "Standard_RS-FEC - (544,514)", "Firecode FEC", "Zero_Latency…", "No FEC".
std::string fec_of(std::string_view text) {
  const std::string plain = lower(text);
  if (plain.find("no fec") != std::string::npos || plain.find("no-fec") != std::string::npos) return "Off";
  if (plain.find("low_latency") != std::string::npos || plain.find("ll_rs") != std::string::npos) return "LLRS";
  if (plain.find("rs-fec") != std::string::npos || plain.find("rs_fec") != std::string::npos) return "RS";
  if (plain.find("firecode") != std::string::npos) return "BaseR";
  return {};
}

bool is_no_link(std::string_view state) {
  return state == "Down" || state == "Disable" || state == "Polling";
}

void take_port(const KeyValue& pair, RdmaPort& port) {
  if (pair.key == "State" && pair.value == "Active") port.state = std::string("ACTIVE");
  if (pair.key == "State" && is_no_link(pair.value)) port.state = std::string("DOWN");
  if (pair.key != "Physical state") return;
  for (const char* word : {"LinkUp", "Disabled", "Polling"})
    if (pair.value == word) port.physical_state = std::string(word);
}

/// Whether it is a fact.
bool take_netdev(const KeyValue& pair, EthtoolFacts& facts) {
  LinkModes modes = facts.link_modes ? *facts.link_modes : LinkModes{};
  FecFacts fec = facts.fec ? *facts.fec : FecFacts{};
  if (pair.key == "Speed" && speed_of(pair.value)) {
    modes.speed_bits_per_second = *speed_of(pair.value);
    facts.link_modes = modes;
  } else if (pair.key == "FEC" && !fec_of(pair.value).empty()) {
    fec.active = fec_of(pair.value);
    facts.fec = fec;
  } else {
    return false;
  }
  return true;
}

/// Whether there is a link, and what mlxlink says of why not: the first sentence of its recommendation.
void take_link(const KeyValue& pair, EthtoolFacts& facts) {
  LinkState state = facts.link_state ? *facts.link_state : LinkState{};
  const bool down = state.link && !*state.link;
  if (pair.key == "State" && (is_no_link(pair.value) || (pair.value == "Active" && down))) {
    state.link = pair.value == "Active";
    state.extended_state = state.extended_substate = Absent{Why::NotPresent, "mlxlink gives no reason"};
  } else if (pair.key == "Recommendation" && down && !state.extended_state && !pair.value.starts_with("No issue")) {
    constexpr std::size_t kLongest = 120;
    state.extended_state = std::string(pair.value.substr(0, std::min(pair.value.find('.'), kLongest)));
  } else {
    return;
  }
  facts.link_state = state;
}

/// mlxlink names an RDMA device or a PCI function: what belongs to the netdev is taken only where the netdev is told.
void parse(const Section& section, Draft& draft) {
  for (const Line& line : section.lines) {
    const auto pair = aligned(line.text);
    if (!pair) continue;
    const About& about = section.about;
    if (!about.device.empty()) take_port(*pair, draft.port(about.device, about.port));
    if (about.netdev.empty()) continue;
    EthtoolFacts& facts = draft.netdev(about.netdev).ethtool;
    take_link(*pair, facts);
    if (pair->key == "State") draft.cite("ethtool " + about.netdev, section, line.number);
    if (!take_netdev(*pair, facts)) continue;
    const bool speed = pair->key == "Speed";
    draft.cite((speed ? "ethtool " : "ethtool --show-fec ") + about.netdev, speed ? "negotiated speed" : "active FEC",
               section, line.number);
  }
}

}  // namespace

extern const Format kMlxlink;
constinit const Format kMlxlink{"mlxlink", "mlxlink -d DEVICE -c -e", false, made_by, fit, parse};

}  // namespace roceready::evidence

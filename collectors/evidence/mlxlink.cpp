// SPDX-License-Identifier: Apache-2.0
// mlxlink -d DEVICE: "Operational Info", "State   : Active", "Speed   : 200G", "FEC   : Standard_RS-FEC - (544,514)";
// with -m the module, with -c what the port counted since somebody cleared it.
#include <algorithm>
#include <cmath>

#include "collectors/evidence/format.h"
#include "collectors/evidence/mlxlink_module.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"
#include "core/base/text.h"

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
                                         "MFT Version",
                                         "Temperature [C]",
                                         "Voltage [mV]",
                                         "Bias Current [mA]",
                                         "Rx Power Current [dBm]",
                                         "Tx Power Current [dBm]",
                                         "Module State",
                                         "Transfer Distance [m]",
                                         "Digital Diagnostic Monitoring",
                                         "Time Since Last Clear [Min]",
                                         "Effective Physical Errors",
                                         "Effective Physical BER",
                                         "Raw Physical Errors Per Lane",
                                         "Raw Physical BER",
                                         "Raw Physical BER Per Lane",
                                         "Link Down Counter",
                                         "Link Error Recovery Counter"};

/// Registers that mlx5 shows as statistics of the netdev, by its names for them (PPCNT, groups of the physical layer);
/// what it does not show has a name that no driver uses.
struct Count {
  std::string_view key;
  const char* name;
};
constexpr Count kCounts[] = {{"Effective Physical Errors", "rx_pcs_symbol_err_phy"},
                             {"Link Down Counter", "link_down_events_phy"},
                             {"Link Error Recovery Counter", "mlxlink_link_error_recovery"}};

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

/// One count of the netdev, unless ethtool -S told it.
void keep_count(Draft& draft, const Section& section, std::uint32_t line, const std::string& name,
                std::uint64_t value) {
  const auto& sets = draft.counters().statistics;
  const auto at = sets.find(section.about.netdev);
  if (at == sets.end() || !at->second.contains(name)) draft.statistic(section.about.netdev, name, value, section, line);
}

/// Whether mlxlink may have told all that is known of a netdev's statistics.
bool are_ours(const Reading<RawCounters>& known) {
  return !known || !known->names ||
         std::all_of(known->names->begin(), known->names->end(), [](const std::string& name) {
           return name.starts_with("mlxlink_") || name.starts_with("rx_err_lane_") ||
                  std::any_of(std::begin(kCounts), std::end(kCounts),
                              [&](const Count& count) { return name == count.name; });
         });
}

/// Counts since the last clear, whose time is kept beside them: one reading tells no rate. "N/A" is no count.
void take_counts(const KeyValue& pair, const Section& section, std::uint32_t line, Draft& draft) {
  // Those few would take the place of what ethtool -S told of an earlier moment.
  if (!are_ours(draft.netdev(section.about.netdev).ethtool.statistics)) return;
  for (const Count& count : kCounts) {
    const auto value = pair.key == count.key ? parse_u64(pair.value) : std::nullopt;
    if (value) keep_count(draft, section, line, count.name, *value);
  }
  if (pair.key == "Time Since Last Clear [Min]") {
    constexpr double kMinute = 60, kMost = 1e9;
    const auto minutes = parse_double(pair.value);
    if (minutes && *minutes >= 0 && *minutes < kMost)
      keep_count(draft, section, line, "mlxlink_since_last_clear_seconds",
                 static_cast<std::uint64_t>(std::llround(*minutes * kMinute)));
  }
  if (pair.key != "Raw Physical Errors Per Lane") return;
  constexpr std::size_t kMostLanes = 16;
  const auto lanes = roceready::split(pair.value, ',');
  for (std::size_t i = 0; i < std::min(lanes.size(), kMostLanes); ++i) {
    if (const auto value = parse_u64(trim(lanes[i])))
      keep_count(draft, section, line, "rx_err_lane_" + std::to_string(i) + "_phy", *value);
  }
}

/// Counters of InfiniBand come from other registers.
bool is_infiniband(const Section& section) {
  return std::any_of(section.lines.begin(), section.lines.end(), [](const Line& line) {
    const auto pair = aligned(line.text);
    return pair && pair->key == "Speed" && pair->value.starts_with("IB-");
  });
}

/// mlxlink names an RDMA device or a PCI function: what belongs to the netdev is taken only where the netdev is told.
void parse(const Section& section, Draft& draft) {
  MlxlinkModule module;
  const bool counted = !is_infiniband(section);
  for (const Line& line : section.lines) {
    const auto pair = aligned(line.text);
    if (!pair) continue;
    const About& about = section.about;
    if (!about.device.empty()) take_port(*pair, draft.port(about.device, about.port));
    if (about.netdev.empty()) continue;
    module.take(*pair, line.number);
    if (counted) take_counts(*pair, section, line.number, draft);
    EthtoolFacts& facts = draft.netdev(about.netdev).ethtool;
    take_link(*pair, facts);
    if (pair->key == "State") draft.cite("ethtool " + about.netdev, section, line.number);
    if (!take_netdev(*pair, facts)) continue;
    const bool speed = pair->key == "Speed";
    draft.cite((speed ? "ethtool " : "ethtool --show-fec ") + about.netdev, speed ? "negotiated speed" : "active FEC",
               section, line.number);
  }
  if (!section.about.netdev.empty()) module.put(draft, section);
}

}  // namespace

extern const Format kMlxlink;
constinit const Format kMlxlink{"mlxlink", "mlxlink -d DEVICE -c -e", false, made_by, fit, parse};

}  // namespace roceready::evidence

// SPDX-License-Identifier: Apache-2.0
// nicctl (AMD Pensando). show qos: "Classification type : DSCP", "PFC priority bitmap : 0x8", "DSCP : 24 ==> priority :
// 3"; show port: "Operational status : DOWN", "Link FSM state : SIGNAL_DETECT" of each port.
#include "collectors/evidence/nicctl.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

bool made_by(std::span<const std::string> words, About&) {
  return words[0] == "nicctl" && has_word(words, "show");
}

std::optional<KeyValue> aligned(std::string_view line) {
  const auto colon = line.rfind(" : ");
  if (colon == std::string_view::npos) return std::nullopt;
  return KeyValue{trim(line.substr(0, colon)), trim(line.substr(colon + 3))};
}

Fit fit(std::string_view line, About&) {
  const auto pair = aligned(line);
  if (pair && (pair->key == "Classification type" || pair->key == "PFC priority bitmap" ||
               pair->key == "PFC no-drop priorities" || pair->key == "Link FSM state" ||
               pair->key.find("==> priority") != std::string_view::npos))
    return Fit::Certain;
  const std::string_view text = trim(line);
  const bool rule = text.size() > 4 && text.find_first_not_of("-=") == std::string_view::npos;
  return pair || rule || indent_of(line) > 0 || text.starts_with("NIC") || text.starts_with("Port") ? Fit::Possible
                                                                                                    : Fit::No;
}

std::optional<std::uint32_t> bitmap_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (!text.starts_with("0x") || text.size() < 3 || text.size() > 4) return std::nullopt;
  std::uint32_t out = 0;
  for (const char c : lower(text.substr(2))) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    out = out * 16 + static_cast<std::uint32_t>(digit);
  }
  return out;
}

/// "DSCP : 24 ==> priority : 3", "DSCP : 0-23, 25-63 ==> priority : 0".
void take_map(std::string_view text, std::uint32_t priority, std::vector<AppEntry>& out) {
  constexpr std::uint32_t kCodePoints = 64;
  const auto colon = text.find(" : "), arrow = text.find("==>");
  if (colon == std::string_view::npos || arrow == std::string_view::npos || arrow < colon) return;
  for (const std::string_view part : split(text.substr(colon + 3, arrow - colon - 3), ',')) {
    const std::string_view range = trim(part);
    const auto dash = range.find('-');
    const auto from = parse_u32(range.substr(0, dash));
    const auto to = dash == std::string_view::npos ? from : parse_u32(range.substr(dash + 1));
    if (!from || !to || *to >= kCodePoints) continue;
    for (std::uint32_t dscp = *from; dscp <= *to && out.size() < std::size_t{kCodePoints} * kPriorities; ++dscp)
      out.push_back({kSelectorDscp, dscp, priority});
  }
}

/// The PCI function of a line "NIC : UUID (0000:26:00.0)".
std::optional<std::string> function_in(std::string_view line) {
  const std::string_view text = trim(line);
  const auto open = text.rfind('(');
  if (!text.starts_with("NIC") || !text.ends_with(")") || open == std::string_view::npos) return std::nullopt;
  return pci_address(text.substr(open + 1, text.size() - open - 2));
}

std::set<std::string> functions_in(const Section& section) {
  std::set<std::string> out;
  for (const Line& line : section.lines)
    if (const auto address = function_in(line.text)) out.insert(*address);
  return out;
}

/// What `nicctl show port` says of one port.
struct PortStatus {
  std::string function;  ///< PCI function of its NIC, "" where none is named
  std::optional<bool> up;
  std::string phase;       ///< of the link's state machine
  std::uint32_t line = 0;  ///< of the status, 0 where it has none
};

std::vector<PortStatus> ports_in(const Section& section) {
  std::vector<PortStatus> out;
  std::string function;
  for (const Line& line : section.lines) {
    const auto pair = aligned(line.text);
    if (!pair) continue;
    if (pair->key == "NIC") function = function_in(line.text).value_or("");
    if (pair->key == "Port") out.push_back({function, {}, {}, 0});
    if (pair->key == "Link FSM state" && !out.empty()) out.back().phase = std::string(pair->value);
    if (pair->key != "Operational status") continue;
    if (out.empty() || out.back().line != 0) out.push_back({function, {}, {}, 0});  // filtered: its heading is gone
    out.back().line = line.number;
    if (pair->value == "UP" || pair->value == "DOWN") out.back().up = pair->value == "UP";
  }
  return out;
}

/// The only port of an output is that of its netdev; of several, each that is the only one of its NIC waits for the
/// netdev of that function.
void take_ports(const Section& section, Draft& draft) {
  const std::vector<PortStatus> ports = ports_in(section);
  const std::string& netdev = section.about.netdev;
  for (const PortStatus& port : ports) {
    if (!port.up) continue;
    const auto of_its_nic = std::count_if(ports.begin(), ports.end(),
                                          [&](const PortStatus& other) { return other.function == port.function; });
    if (ports.size() == 1 && (!netdev.empty() || section.about.pci.empty())) {
      if (take_nicctl_link(*port.up, port.phase, draft.netdev(netdev).ethtool))
        draft.cite("ethtool " + netdev, section, port.line);
    } else if (of_its_nic == 1 && !port.function.empty()) {
      draft.function_link(port.function, {*port.up, port.phase, place_text(section, port.line)});
    }
  }
}

/// Ports are named by UUID, which no other tool shows: facts are taken where one port is shown, and where its function
/// is none whose netdev nobody tells.
void parse(const Section& section, Draft& draft) {
  take_ports(section, draft);
  std::vector<AppEntry> map;
  std::optional<std::uint32_t> pfc;
  std::string trust;
  std::size_t ports = 0;
  std::map<std::string, std::uint32_t> lines;  // by the name under which findings cite them
  for (const Line& line : section.lines) {
    const auto pair = aligned(line.text);
    if (!pair) continue;
    if (pair->key == "Classification type") ++ports, trust = lower(pair->value), lines["trust"] = line.number;
    if (pair->key == "PFC priority bitmap") pfc = bitmap_of(pair->value), lines["pfc"] = line.number;
    const auto priority = parse_u32(pair->value);
    const bool mapping = pair->key.starts_with("DSCP") && pair->key.find("==> priority") != std::string_view::npos;
    const std::size_t known = map.size();
    if (mapping && priority && *priority < kPriorities) take_map(line.text, *priority, map);
    for (std::size_t i = known; i < map.size(); ++i) lines["DSCP " + std::to_string(map[i].protocol)] = line.number;
  }
  if (ports > 1 || functions_in(section).size() > 1) return;
  if (section.about.netdev.empty() && !section.about.pci.empty()) return;
  DcbFacts& dcb = draft.netdev(section.about.netdev).dcb;
  for (const auto& [name, line] : lines) draft.cite("DCB netlink " + section.about.netdev, name, section, line);
  if (trust == "dscp" || trust == "pcp") dcb.trust = trust;
  if (pfc) {
    PfcFacts facts = dcb.pfc ? *dcb.pfc : PfcFacts{};
    facts.enabled = *pfc;
    dcb.pfc = facts;
  }
  std::vector<std::uint32_t> all(64, UINT32_MAX);
  for (const AppEntry& entry : map) all[entry.protocol] = entry.priority;
  if (std::find(all.begin(), all.end(), UINT32_MAX) == all.end()) dcb.dscp_to_priority = all;
}

}  // namespace

std::string function_of_nicctl(const Section& section) {
  const std::set<std::string> functions = functions_in(section);
  return functions.size() == 1 ? *functions.begin() : std::string();
}

bool take_nicctl_link(bool up, const std::string& phase, EthtoolFacts& facts) {
  LinkState state = facts.link_state ? *facts.link_state : LinkState{};
  const bool was_down = state.link && !*state.link;
  if (up && !was_down) return false;
  state.link = up;
  state.extended_state = state.extended_substate = Absent{Why::NotPresent, "nicctl gives no reason"};
  if (!up && !phase.empty()) state.extended_state = "link state machine in " + phase;
  facts.link_state = state;
  return true;
}

constinit const Format kNicctl{"nicctl", "nicctl show qos", false, made_by, fit, parse};

}  // namespace roceready::evidence

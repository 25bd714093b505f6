// SPDX-License-Identifier: Apache-2.0
// lldpcli show neighbors, lldpctl: who is at the other end of each netdev's cable.
#include <algorithm>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kKeys[] = {
    "Chassis",       "ChassisID", "SysName",          "SysDescr", "MgmtIP",      "MgmtIface",    "Capability",
    "Port",          "PortID",    "PortDescr",        "TTL",      "VLAN",        "PMD autoneg",  "Adv",
    "MAU oper type", "MFS",       "Port aggregation", "LLDP-MED", "Device Type", "Unknown TLVs", "TLV",
    "Age",           "RID"};

bool made_by(std::span<const std::string> words, About&) {
  return (words[0] == "lldpcli" && has_word(words, "show")) || words[0] == "lldpctl";
}

bool is_rule(std::string_view text) {
  return text.size() > 20 && text.find_first_not_of('-') == std::string_view::npos;
}

/// NETDEV of "Interface:    eth0, via: LLDP, RID: 1, Time: 0 day, 01:02:03".
std::optional<std::string> interface_of(std::string_view line) {
  const auto pair = key_value(line);
  if (!pair || pair->key != "Interface") return std::nullopt;
  const auto comma = pair->value.find(", via: ");
  const std::string_view name = trim(pair->value.substr(0, comma));
  if (comma == std::string_view::npos || !is_netdev_name(name)) return std::nullopt;
  return std::string(name);
}

Fit fit(std::string_view line, About&) {
  const std::string_view text = trim(line);
  if (text == "LLDP neighbors:") return Fit::Begins;
  if (interface_of(line)) return Fit::Certain;
  const auto pair = key_value(line);
  if (pair && (pair->key == "SysName" || pair->key == "SysDescr" || pair->key == "ChassisID" || pair->key == "PortID" ||
               pair->key == "PortDescr"))
    return Fit::Certain;
  const bool known = pair && std::find(std::begin(kKeys), std::end(kKeys), pair->key) != std::end(kKeys);
  return known || is_rule(text) || indent_of(line) > 4 ? Fit::Possible : Fit::No;
}

void parse(const Section& section, Draft& draft) {
  LogFact fact;
  const auto close = [&] {
    if (!fact.subject.empty() && !fact.says.empty()) draft.log(fact);
    fact = {};
  };
  for (const Line& line : section.lines) {
    if (const auto netdev = interface_of(line.text)) {
      close();
      fact.kind = "lldp_neighbor";
      fact.subject = *netdev;
      fact.text = std::string(trim(line.text)).substr(0, 300);
      fact.place = place_text(section, line.number);
      continue;
    }
    const auto pair = key_value(line.text);
    if (!pair) continue;
    if (pair->key == "SysName") fact.says["system"] = std::string(pair->value);
    if (pair->key == "PortDescr") fact.says["port_description"] = std::string(pair->value);
    if (pair->key == "PortID") fact.says["port"] = std::string(pair->value.substr(0, 200));
  }
  close();
}

}  // namespace

extern const Format kLldpcli;
constinit const Format kLldpcli{"lldpcli", "lldpcli show neighbors", false, made_by, fit, parse};

}  // namespace roceready::evidence

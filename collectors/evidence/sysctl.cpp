// SPDX-License-Identifier: Apache-2.0
// sysctl -a and parts of it: "net.ipv4.conf.all.arp_ignore = 0"; and `grep . /proc/sys/…`: "/proc/sys/net/…:0".
#include <algorithm>
#include <map>
#include <vector>

#include "collectors/evidence/format.h"
#include "collectors/evidence/tool_lines.h"
#include "collectors/evidence/words.h"

namespace roceready::evidence {
namespace {

constexpr std::string_view kConf = "net.ipv4.conf.";
constexpr std::string_view kRoots[] = {"net.",   "kernel.", "vm.",   "fs.",     "dev.",
                                       "debug.", "abi.",    "user.", "sunrpc.", "crypto."};

bool made_by(std::span<const std::string> words, About&) {
  return words[0] == "sysctl" && !has_word(words, "-w");
}

/// Key with dots, and value. VLANs have a dot in their name, which sysctl prints as '/'.
struct Setting {
  std::string key, value;
};
std::optional<Setting> setting_of(std::string_view line) {
  constexpr std::string_view kTree = "/proc/sys/";
  line = trim(line);
  Setting out;
  if (line.starts_with(kTree)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    out.value = trim(line.substr(colon + 1));
    for (const char c : line.substr(kTree.size(), colon - kTree.size())) out.key += c == '/' ? '.' : c == '.' ? '/' : c;
  } else {
    const auto equal = line.find('=');
    if (equal == std::string_view::npos) return std::nullopt;
    out.key = trim(line.substr(0, equal));
    out.value = trim(line.substr(equal + 1));
  }
  const bool known = std::any_of(std::begin(kRoots), std::end(kRoots),
                                 [&](std::string_view root) { return out.key.starts_with(root); });
  if (!known || out.key.find(' ') != std::string::npos) return std::nullopt;
  return out;
}

Fit fit(std::string_view line, About&) {
  if (setting_of(line)) return Fit::Certain;
  const std::string_view text = trim(line);
  if (text.starts_with("sysctl: ")) return Fit::Certain;  // "sysctl: permission denied on key '…'"
  return Fit::No;
}

Reading<std::uint32_t>* setting_in(Ipv4Settings& settings, std::string_view name) {
  if (name == "arp_ignore") return &settings.arp_ignore;
  if (name == "arp_announce") return &settings.arp_announce;
  return name == "rp_filter" ? &settings.rp_filter : nullptr;
}

/// The greater of a netdev's own and that of "all" is in force; it is known only where both are.
Reading<std::uint32_t> greater(const Reading<std::uint32_t>& own, const Reading<std::uint32_t>& all) {
  if (!own) return own;
  if (!all) return all;
  return std::max(*own, *all);
}

using Table = std::map<std::string, Ipv4Settings>;

bool take_ipv4(const Setting& setting, const Section& section, const Line& line, Draft& draft, Table& table) {
  constexpr std::size_t kMost = 4096;
  const auto dot = setting.key.rfind('.');
  if (!setting.key.starts_with(kConf) || dot < kConf.size()) return false;
  std::string netdev = setting.key.substr(kConf.size(), dot - kConf.size());
  std::replace(netdev.begin(), netdev.end(), '/', '.');
  if (!is_netdev_name(netdev) || (table.size() >= kMost && !table.contains(netdev))) return false;
  const std::string name = setting.key.substr(dot + 1);
  Ipv4Settings probe;
  if (setting_in(probe, name) == nullptr) return true;
  Ipv4Settings& settings = table[netdev];
  settings.netdev = netdev;
  const auto number = parse_u32(setting.value);
  *setting_in(settings, name) = number ? Reading<std::uint32_t>(*number)
                                       : Absent{Why::Malformed, place_text(section, line.number) + ": no number"};
  std::string source = "/proc/sys/net/ipv4/conf/" + netdev;
  source += "/" + name;
  draft.cite(source, section, line.number);
  return true;
}

/// One entry a netdev; "all" stands among them, since often it is all that was sent.
void keep(const Table& table, Draft& draft) {
  if (table.empty()) return;
  auto& kept = draft.host().ipv4_settings;
  std::vector<Ipv4Settings> out = kept ? *kept : std::vector<Ipv4Settings>();
  const auto all = table.find("all");
  for (const auto& [netdev, own] : table) {
    if (netdev == "default" || netdev == "lo") continue;
    Ipv4Settings settings = own;
    if (netdev != "all") {
      const Ipv4Settings none;
      const Ipv4Settings& every = all == table.end() ? none : all->second;
      settings.arp_ignore = greater(own.arp_ignore, every.arp_ignore);
      settings.arp_announce = greater(own.arp_announce, every.arp_announce);
      settings.rp_filter = greater(own.rp_filter, every.rp_filter);
    }
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&name = settings.netdev](const Ipv4Settings& one) { return one.netdev == name; });
    if (same == out.end())
      out.push_back(settings);
    else
      *same = settings;
  }
  kept = out;
}

void parse(const Section& section, Draft& draft) {
  Table table;
  static_cast<void>(take_lines(section, draft, [&](const Line& line) {
    const auto setting = setting_of(line.text);
    if (!setting) return trim(line.text).starts_with("sysctl: ");
    if (take_ipv4(*setting, section, line, draft, table)) return true;
    if (setting->key == "kernel.numa_balancing") {
      const auto number = parse_u32(setting->value);
      draft.host().numa_balancing = number ? Reading<std::uint32_t>(*number)
                                           : Absent{Why::Malformed, place_text(section, line.number) + ": no number"};
      draft.cite("/proc/sys/kernel/numa_balancing", section, line.number);
    } else if (setting->key == "kernel.hostname") {
      draft.node().hostname = setting->value;
    } else if (setting->key == "kernel.osrelease") {
      draft.node().kernel = setting->value;
    }
    return true;
  }));
  keep(table, draft);
}

}  // namespace

extern const Format kSysctl;
constinit const Format kSysctl{"sysctl", "sysctl -a", false, made_by, fit, parse};

}  // namespace roceready::evidence

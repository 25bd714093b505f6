// SPDX-License-Identifier: Apache-2.0
#include "rules/settings.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "rules/rule.h"
#include "rules/usable_gid.h"

namespace roceready::rules {
namespace {

constexpr std::size_t kMostSettings = 4096, kMostValue = 512;

std::string hex(std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[value >> 4U & 15U], kDigits[value & 15U]};
}

std::string priorities(std::uint32_t mask) {
  std::string out;
  for (std::uint8_t p = 0; p < kPriorities; ++p)
    if ((mask >> p & 1U) != 0) out += (out.empty() ? "" : ",") + std::to_string(p);
  return out.empty() ? "none" : out;
}

template <class List>
std::string joined(const List& list) {
  std::string out;
  for (const auto value : list) out += (out.empty() ? "" : ",") + std::to_string(value);
  return out;
}

/// "0-7:0 8-15:1": runs of equal values.
std::string runs(const std::vector<std::uint32_t>& map) {
  std::string out;
  for (std::size_t from = 0; from < map.size();) {
    std::size_t to = from;
    while (to + 1 < map.size() && map[to + 1] == map[from]) ++to;
    out += (out.empty() ? "" : " ") + std::to_string(from) + (to > from ? "-" + std::to_string(to) : "") + ":" +
           std::to_string(map[from]);
    from = to + 1;
  }
  return out;
}

/// Files of the vendor's driver that hold a setting, by the end of their name. Others of its files count or measure.
bool is_setting(std::string_view file) {
  for (const std::string_view end : {"cnp_dscp", "cnp_802p_prio", "dcqcn_enable", "cc_enable", "enable_cc"})
    if (file.ends_with(end)) return true;
  return file.find("/enable/") != std::string_view::npos;
}

class Collected {
 public:
  Collected(std::string owner, Subject subject) : owner_(std::move(owner)), subject_(std::move(subject)) {}
  void add(std::string what, std::string value, bool qos) {
    if (value.size() > kMostValue) value.resize(kMostValue);
    out.push_back({owner_, subject_, std::move(what), clean_text(value), qos});
  }
  void add(const std::map<std::string, Reading<std::string>>& files) {
    for (const auto& [name, text] : files)
      if (text && is_setting(name)) add("congestion control " + name, std::string(trim(*text)), true);
  }
  std::vector<Setting> out;

 private:
  std::string owner_;
  Subject subject_;
};

void add_port(const RdmaPort& port, std::vector<Setting>& out) {
  Subject subject;
  subject.device = port.device;
  subject.port = port.port;
  subject.netdev = port.netdev.value_or("");
  Collected to(port.key, subject);
  if (port.firmware) to.add("firmware", *port.firmware, false);
  if (port.gids)
    if (const GidEntry* gid = usable_gid(*port.gids)) to.add("gid_index", std::to_string(gid->index), false);
  if (port.cma_default_tos) to.add("tos", hex(*port.cma_default_tos), true);
  if (port.forced_traffic_class) to.add("traffic_class", hex(*port.forced_traffic_class), true);
  to.add(port.vendor_files);
  out.insert(out.end(), to.out.begin(), to.out.end());
}

void add_member(const RdmaPort& port, const Netdev& member, std::vector<Setting>& out) {
  Subject subject;
  subject.device = port.device;
  subject.port = port.port;
  subject.netdev = member.link.name;
  if (port.members.size() > 1) subject.member = member.link.name;
  Collected to(port.key + (port.members.size() > 1 ? "+" + member.link.name : ""), subject);
  const DcbFacts& dcb = member.dcb;
  if (dcb.pfc) to.add("pfc", priorities(dcb.pfc->enabled), true);
  if (dcb.trust) to.add("trust", *dcb.trust, true);
  if (dcb.dscp_to_priority) to.add("dscp_to_priority", runs(*dcb.dscp_to_priority), true);
  if (dcb.ets)
    to.add("ets",
           "classes " + joined(dcb.ets->priority_to_class) + " algorithms " + joined(dcb.ets->algorithm) + " shares " +
               joined(dcb.ets->bandwidth_percent),
           true);
  if (dcb.buffers)
    to.add("buffers",
           "of priorities " + joined(dcb.buffers->priority_to_buffer) + " bytes " + joined(dcb.buffers->size_bytes),
           true);
  to.add(member.vendor_files);
  if (member.link.mtu) to.add("mtu", std::to_string(*member.link.mtu), false);
  const auto& modes = member.ethtool.link_modes;
  if (modes && modes->speed_bits_per_second)
    to.add("speed", short_number(static_cast<double>(*modes->speed_bits_per_second) * 1e-9, 4) + " Gbit/s", false);
  const auto& fec = member.ethtool.fec;
  if (fec && fec->active) to.add("fec", *fec->active, false);
  out.insert(out.end(), to.out.begin(), to.out.end());
}

bool is_fault_of_setting(const Finding& finding) {
  static const std::set<std::string_view> kFamilies = {"pfc", "qos", "ecn", "roce"};
  // That a setting changed is no fault that a further change could cure.
  if (std::string_view(finding.rule->id) == "qos-config-drift") return false;
  return finding.severity != Severity::Info && finding.state == FindingState::Active &&
         finding.rule->judged == kStatic && kFamilies.contains(finding.rule->family);
}

/// Time since a moment that may lie in another boot, where only the wall clock tells.
double age_seconds(const Instant& since, const std::string& since_boot, const Instant& now, const std::string& boot) {
  if (since_boot == boot) return seconds_between(since, now);
  return static_cast<double>(now.wall_ns - since.wall_ns) * 1e-9;
}

}  // namespace

std::vector<Setting> settings_of(const Snapshot& snapshot) {
  std::vector<Setting> out;
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.in_scope || port.key.empty()) continue;
    add_port(port, out);
    for (const std::string& name : port.members)
      if (const Netdev* member = snapshot.netdev(name)) add_member(port, *member, out);
  }
  return out;
}

void Settings::see(const Setting& setting, const Report& report, const std::string& boot, bool faulty,
                   double accept_seconds, std::vector<SettingChange>& out) {
  const auto key = std::pair(setting.owner, setting.what);
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() >= kMostSettings) return;
    Entry fresh;
    fresh.accepted = fresh.now = setting.value;
    fresh.accepted_wall_ns = report.at.wall_ns;
    fresh.since = report.at;
    fresh.since_boot = boot;
    found = entries_.emplace(key, std::move(fresh)).first;
  }
  Entry& entry = found->second;
  entry.subject = setting.subject;
  entry.qos = setting.qos;
  if (entry.now != setting.value) {
    const bool after_reboot = !entry.boot.empty() && !boot.empty() && entry.boot != boot;
    out.push_back({setting.subject, setting.what, entry.now, setting.value, after_reboot});
    // A second change in the new boot, before the setting is right again, is still the reboot's.
    entry.after_reboot = after_reboot || (entry.after_reboot && entry.now != entry.accepted);
    entry.now = setting.value;
    entry.since = report.at;
    entry.since_boot = boot;
  }
  entry.boot = boot;
  if (entry.now == entry.accepted) {
    entry.faulty = faulty;
    entry.after_reboot = false;
    return;
  }
  const bool cured = entry.faulty && !faulty;
  const bool stood = age_seconds(entry.since, entry.since_boot, report.at, boot) >= accept_seconds;
  if (entry.qos && !cured && !stood) return;
  entry.accepted = entry.now;
  entry.accepted_wall_ns = report.at.wall_ns;
  entry.faulty = faulty;
  entry.after_reboot = false;
}

std::vector<SettingChange> Settings::take(const Report& report, double accept_seconds) {
  std::vector<SettingChange> out;
  if (!report.snapshot) return out;
  const std::string boot = report.snapshot->node.boot_id_hash.value_or("");
  std::set<std::pair<std::string, std::uint32_t>> faulty;
  for (const Finding& finding : report.findings)
    if (is_fault_of_setting(finding)) faulty.emplace(finding.subject.device, finding.subject.port);
  for (const Setting& setting : settings_of(*report.snapshot))
    see(setting, report, boot, faulty.contains({setting.subject.device, setting.subject.port}), accept_seconds, out);
  return out;
}

std::vector<SettingDrift> Settings::drift() const {
  std::vector<SettingDrift> out;
  for (const auto& [key, entry] : entries_) {
    if (entry.now == entry.accepted) continue;
    out.push_back({entry.subject, key.second, entry.accepted, entry.now, entry.accepted_wall_ns, entry.since,
                   entry.after_reboot});
  }
  return out;
}

}  // namespace roceready::rules

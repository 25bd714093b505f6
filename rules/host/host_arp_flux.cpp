// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

std::optional<std::uint32_t> ipv4(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::uint32_t mask_of(std::uint32_t prefix) {
  return prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - std::min(prefix, 32U));
}

/// An IPv4 address of a port in scope.
struct Place {
  std::string port, netdev, address;
  std::uint32_t number = 0;
};
using Subnet = std::pair<std::uint32_t, std::uint32_t>;  // network, prefix

std::string text_of(const Subnet& subnet) {
  const in_addr network{htonl(subnet.first)};
  char text[INET_ADDRSTRLEN] = {};
  const char* written = inet_ntop(AF_INET, &network, text, sizeof text);
  return std::string(written == nullptr ? "?" : written) + "/" + std::to_string(subnet.second);
}

/// A netdev in a VRF has a routing table of its own and answers for its own addresses alone.
bool in_vrf(const Snapshot& now, const NetLink& link) {
  const Netdev* master = now.netdev(link.master);
  return master != nullptr && master->link.kind == "vrf";
}

void add_places(const Snapshot& now, const RdmaPort& port, std::map<Subnet, std::vector<Place>>& out) {
  std::vector<std::string> names = port.members;
  names.insert(names.end(), port.uppers.begin(), port.uppers.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) {
    const Netdev* netdev = now.netdev(name);
    if (netdev == nullptr || in_vrf(now, netdev->link)) continue;
    for (const IpAddress& address : netdev->link.addresses) {
      const auto number = ipv4(address.address);
      if (!number || !address.is_routable()) continue;
      out[{*number & mask_of(address.prefix), address.prefix}].push_back(
          {owner_of(port), name, address.address, *number});
    }
  }
}

/// Subnets that more than one port in scope has an address in.
std::map<Subnet, std::vector<Place>> shared_subnets(const Snapshot& now) {
  std::map<Subnet, std::vector<Place>> out;
  for (const RdmaPort& port : now.ports)
    if (port.in_scope) add_places(now, port, out);
  std::erase_if(out, [](const auto& entry) {
    const std::vector<Place>& places = entry.second;
    return std::all_of(places.begin(), places.end(), [&](const Place& one) {
      return one.port == places.front().port || one.netdev == places.front().netdev;
    });
  });
  return out;
}

constexpr std::uint32_t kDefaultTable = 253, kLocalTable = 255;

/// A rule of its own sends what bears this source address, or leaves by this netdev, to a table of its own.
bool routed_by_source(const std::vector<PolicyRule>& rules, const Place& place) {
  return std::any_of(rules.begin(), rules.end(), [&](const PolicyRule& rule) {
    if (rule.table >= kDefaultTable && rule.table <= kLocalTable) return false;
    if (rule.source.empty()) return rule.out_netdev == place.netdev;
    const auto source = ipv4(rule.source);
    return source && ((place.number ^ *source) & mask_of(rule.source_prefix)) == 0;
  });
}

struct Faults {
  std::vector<std::string> answers_for_others, not_by_source;  // netdevs
  std::vector<EvidenceItem> evidence;
  std::optional<Absent> unread;
};

void check_arp(const Evidence& seen, const Place& place, Faults& faults) {
  const Reading<std::vector<Ipv4Settings>>& all = seen.now().host.ipv4_settings;
  if (!all) return (void)(faults.unread = all.absent());
  const auto found =
      std::find_if(all->begin(), all->end(), [&](const Ipv4Settings& one) { return one.netdev == place.netdev; });
  const Reading<std::uint32_t> ignore =
      found == all->end() ? Reading<std::uint32_t>(Absent{Why::NotRecorded, "arp_ignore of " + place.netdev})
                          : found->arp_ignore;
  if (!ignore) return (void)(faults.unread = ignore.absent());
  if (*ignore >= 1) return;
  faults.answers_for_others.push_back(place.netdev);
  const std::string source = "/proc/sys/net/ipv4/conf/" + place.netdev + "/";
  faults.evidence.push_back(seen.item("arp_ignore of " + place.netdev, *ignore, "", "<", 1, source + "arp_ignore"));
  if (found->arp_announce)
    faults.evidence.push_back(
        seen.item("arp_announce of " + place.netdev, *found->arp_announce, "", source + "arp_announce"));
  if (found->rp_filter)
    faults.evidence.push_back(seen.item("rp_filter of " + place.netdev, *found->rp_filter, "", source + "rp_filter"));
}

void check_routing(const Evidence& seen, const Place& place, Faults& faults) {
  const Reading<std::vector<PolicyRule>>& rules = seen.now().host.policy_rules;
  const bool none_possible = !rules && rules.absent().why == Why::NotSupported;  // a kernel without policy routing
  if (!rules && !none_possible) return (void)(faults.unread = rules.absent());
  if (rules && routed_by_source(*rules, place)) return;
  faults.not_by_source.push_back(place.netdev);
  faults.evidence.push_back(seen.word("routing rule for source " + place.address, "none", "routing rules (ip rule)"));
}

void judge(const Evidence& seen, Outcomes& out) {
  std::vector<std::string> words;
  Faults faults;
  for (const auto& [subnet, places] : shared_subnets(seen.now())) {
    std::vector<std::string> who;
    Faults here;
    for (const Place& place : places) {
      who.push_back(place.netdev + " (" + place.address + ")");
      check_arp(seen, place, here);
      check_routing(seen, place, here);
    }
    if (here.unread) faults.unread = here.unread;
    if (here.evidence.empty()) continue;
    faults.evidence.insert(faults.evidence.end(), here.evidence.begin(), here.evidence.end());
    std::string text = joined(who) + " share the subnet " + text_of(subnet);
    if (!here.answers_for_others.empty())
      text += "; on " + joined(here.answers_for_others) + " ARP is answered for addresses of the others";
    if (!here.not_by_source.empty())
      text += "; what " + joined(here.not_by_source) + (here.not_by_source.size() > 1 ? " send" : " sends") +
              " is not routed by its source address";
    words.push_back(std::move(text));
  }
  if (!words.empty()) return (void)out.fail(Severity::Warning, joined(words) + ".", std::move(faults.evidence));
  if (faults.unread) return out.unknown(*faults.unread);
  out.pass();
}

}  // namespace

extern const Rule kHostArpFlux;
constinit const Rule kHostArpFlux{
    .id = "host-arp-flux",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "RoCE ports of one subnet answer and send for each other",
    .what =
        "Looks for two ports in scope with IPv4 addresses of one subnet. Fires when arp_ignore is 0 on one of them, or "
        "when no routing rule sends its packets by their source address.",
    .why = "Traffic leaves and arrives on the wrong rail: uneven load, asymmetric paths, rejected RDMA-CM connections.",
    .next = "Give each rail a subnet of its own, or isolate the ports: arp_ignore, arp_announce and source routing.",
    .likely_causes = {"all rails addressed from one pool", "sysctl settings or routing rules lost at reboot"},
    .fix = {Recipe::ArpIsolation},
    .traps = {"Members of one bond, and netdevs in VRFs of their own, do not disturb each other.",
              "Only IPv4 is looked at.", "Whether the table that a rule leads to is right is not looked at."},
    .facts = {"kernel-arp-flux", "microsoft-subnet-per-port"},
    .judge = judge,
};

}  // namespace roceready::rules

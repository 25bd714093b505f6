// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Where packets of one ToS byte end up, and what put them there.
struct Place {
  std::uint8_t priority = 0;
  std::string by;
};

/// Priority of a socket with this ToS (kernel: rt_tos2priority), from which a VLAN's egress map starts.
std::uint32_t kernel_priority(std::uint32_t tos) {
  constexpr std::array<std::uint8_t, 16> kByTos{0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4};
  return kByTos[tos >> 1 & 0xfU];
}

/// The tag that a VLAN gives to packets of this ToS; without a ToS RoCE's priority where that of any ToS gives it.
std::uint32_t tag_of(const std::map<std::string, std::uint32_t>& map, std::optional<std::uint32_t> tos,
                     std::uint32_t roce) {
  for (const std::uint32_t any : {0U, 8U, 16U, 24U}) {
    const auto entry = map.find(std::to_string(kernel_priority(any)));
    if (!tos && entry != map.end() && entry->second == roce) return roce;
  }
  const auto found = map.find(std::to_string(kernel_priority(tos.value_or(0))));
  return found == map.end() ? 0 : found->second;
}

/// With trust in the VLAN tag: the tag that each address's netdev gives, none meaning priority 0.
std::vector<Place> places_by_tag(const Evidence& seen, std::optional<std::uint32_t> tos) {
  std::vector<Place> out;
  std::vector<std::string> names = seen.port().uppers;
  names.insert(names.end(), seen.port().members.begin(), seen.port().members.end());
  for (const std::string& name : names) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev == nullptr) continue;
    bool routable = false;
    for (const IpAddress& address : netdev->link.addresses) routable = routable || address.is_routable();
    if (!routable) continue;
    if (netdev->link.kind != "vlan") {
      out.push_back({0, "the NIC trusts the VLAN tag and " + name + " sends none"});
    } else if (netdev->link.vlan) {
      const std::uint32_t tag = tag_of(netdev->link.vlan->egress_qos, tos, seen.profile()->roce_priority);
      out.push_back({static_cast<std::uint8_t>(tag % kPriorities), "the VLAN tag that " + name + " sends"});
    }
  }
  return out;
}

/// Which hop behind the classification breaks; "" where none does. Absent: a hop could not be read.
Reading<std::string> broken_hop(const Evidence& seen, std::uint8_t priority) {
  const DcbFacts& dcb = seen.member().dcb;
  const std::string own = "priority " + std::to_string(priority);
  if (!dcb.pfc) return dcb.pfc.absent();
  if (!dcb.pfc->on(priority)) return "PFC is off on " + own;
  if (dcb.ets) {
    const std::uint32_t lossy = sharing(dcb.ets->priority_to_class, priority) & ~dcb.pfc->enabled;
    if (lossy != 0)
      return own + " shares traffic class " + std::to_string(dcb.ets->priority_to_class[priority]) + " with lossy " +
             priorities_text(lossy);
  } else if (dcb.ets.absent().why != Why::NotSupported) {
    return dcb.ets.absent();
  }
  return std::string();
}

/// What breaks on the way of one ToS byte, or of whatever ToS programs set where the profile knows none: nothing, or
/// "DSCP 26 → priority 0 (…), and PFC is off on priority 0".
Reading<std::string> break_of(const Evidence& seen, std::optional<std::uint32_t> tos) {
  const DcbFacts& dcb = seen.member().dcb;
  const std::uint32_t dscp = tos.value_or(std::uint32_t{seen.profile()->roce_dscp} << 2U) >> 2;
  if (!dcb.trust) return dcb.trust.absent();
  std::vector<Place> places;
  const bool by_tag = *dcb.trust != "dscp";
  if (!by_tag) {
    if (!dcb.dscp_to_priority) return dcb.dscp_to_priority.absent();
    if (dscp >= dcb.dscp_to_priority->size()) return Absent{Why::Malformed, "the DSCP map is cut off"};
    places.push_back({static_cast<std::uint8_t>((*dcb.dscp_to_priority)[dscp] % kPriorities), "the DSCP map"});
  } else {
    places = places_by_tag(seen, tos);
    if (places.empty()) return Absent{Why::NotPresent, "no routable address, so how RoCE is tagged is not known"};
  }
  for (const Place& place : places) {
    const Reading<std::string> hop = broken_hop(seen, place.priority);
    if (!hop) return hop.absent();
    if (!hop->empty())
      return (by_tag && !tos ? std::string("RoCE") : "DSCP " + std::to_string(dscp)) + " goes to priority " +
             std::to_string(place.priority) + " (" + place.by + "), and " + *hop;
  }
  return std::string();
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (profile.pfc_priorities == 0) return out.not_applicable("profile " + profile.name + " has no lossless priority");
  const Reading<std::uint32_t>& forced = seen.port().forced_traffic_class;
  if (!forced && forced.absent().why != Why::NotPresent && forced.absent().why != Why::NotSupported)
    return out.unknown(forced.absent());
  // A design of VLAN tags says nothing of ToS: programs set a service level, or what RDMA-CM gives them.
  std::optional<std::uint32_t> tos;
  if (forced)
    tos = *forced;
  else if (profile.trust != "pcp")
    tos = std::uint32_t{profile.roce_dscp} << 2U;
  const Reading<std::string> broken = break_of(seen, tos);
  if (!shown(out, broken, "the way of a packet to its priority")) return;

  // What RDMA-CM sets for programs that set nothing is another candidate, and one that may be nobody's.
  std::string also;
  const Reading<std::uint32_t>& of_cm = seen.port().cma_default_tos;
  if (!forced && of_cm && (!tos || *of_cm >> 2 != profile.roce_dscp)) also = break_of(seen, *of_cm).value_or("");
  if (also == *broken) also.clear();
  if (broken->empty() && also.empty()) return out.pass();

  std::string sentence = "On " + seen.member().link.name + " RoCE is not lossless: ";
  if (!broken->empty())
    sentence += std::string(forced ? "the traffic class forced on all queue pairs, " : "") + *broken + ".";
  else
    sentence = "On " + seen.member().link.name + " programs that leave the choice to RDMA-CM are not lossless: ";
  if (!also.empty()) sentence += (broken->empty() ? "" : " RDMA-CM's default: ") + also + ".";
  const Severity severity = unless_converging(seen, broken->empty() ? Severity::Info : Severity::Critical, sentence);
  const std::string& what = broken->empty() ? also : *broken;
  out.fail(severity, sentence,
           {seen.word("first broken hop", what, "!=", "lossless from ToS to class", dcb_source(seen))});
}

}  // namespace

extern const Rule kQosChainBroken;
constinit const Rule kQosChainBroken{
    .id = "qos-chain-broken",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "RoCE's way from ToS to traffic class is not lossless",
    .what =
        "Follows a RoCE packet through this NIC: ToS byte (forced by the vendor driver, else the profile's), trust, "
        "DSCP map or VLAN tag, priority, PFC, traffic class. Names the first hop that leaves the "
        "lossless class: PFC off, or a class shared with lossy priorities.",
    .why = "Each setting can be right by itself and RoCE still be dropped under load: only the whole chain counts.",
    .next = "Repair the hop that is named; the rules of single settings say with which command.",
    .likely_causes = {"one of trust, map, PFC and classes was lost at reboot", "settings of two designs mixed",
                      "DCBX overwrote a part"},
    .fix = {Recipe::Trust, Recipe::DscpMap, Recipe::Pfc, Recipe::Buffers},
    .traps = {"Which ToS verbs programs set is not known: the profile's is followed, and RDMA-CM's default as info.",
              "The chain ends at the NIC: the switch is not seen.",
              "A receive buffer that lossy priorities share is still lossless: it costs headroom (qos-buffer-shared)."},
    .facts = {"mlx5-dcbnl-trust", "dcbnl-pfc-mask", "kernel-tos-to-priority"},
    .judge = judge,
};

}  // namespace roceready::rules

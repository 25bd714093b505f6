// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/shown.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Whether a socket's ToS can lead to the priority: the kernel makes 0, 2, 4 and 6 of it (rt_tos2priority).
bool reaches(const std::map<std::string, std::uint32_t>& map, std::uint32_t priority) {
  return std::any_of(map.begin(), map.end(), [&](const auto& entry) {
    constexpr std::array<std::string_view, 4> kOfTos{"0", "2", "4", "6"};
    return entry.second == priority && std::find(kOfTos.begin(), kOfTos.end(), entry.first) != kOfTos.end();
  });
}

bool is_routable(const IpAddress& address) {
  return address.is_routable();
}

bool carries_roce(const Netdev& netdev) {
  const auto& addresses = netdev.link.addresses;
  return netdev.link.kind == "vlan" && std::any_of(addresses.begin(), addresses.end(), is_routable);
}

/// RoCE over the port's own address has no tag, and so no priority in it.
void judge_untagged(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  const Netdev* const own = seen.port().netdev ? seen.now().netdev(*seen.port().netdev) : nullptr;
  if (own == nullptr || std::none_of(own->link.addresses.begin(), own->link.addresses.end(), is_routable))
    return out.not_applicable("no routable address is on a VLAN, nor on the port itself");
  if (seen.pci() != nullptr && seen.pci()->physical_function)
    return out.not_looked_at("never_shown", "a virtual function's packets may be tagged by its physical function",
                             "ip link show of the physical function, on the host that has it");
  out.fail(Severity::Critical,
           "The routable address of " + own->link.name + " is on no VLAN: its packets have no tag, and profile " +
               profile.name + " classifies by the priority " + std::to_string(profile.roce_priority) + " in it.",
           {seen.word("routable address", "on " + own->link.name + " itself", "!=", "on a VLAN of it",
                      "rtnetlink " + own->link.name)});
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile& profile = *seen.profile();
  if (profile.trust != "pcp")
    return out.not_applicable("profile " + profile.name + " does not classify by the VLAN tag");
  std::vector<std::string> wrong;
  std::vector<EvidenceItem> evidence;
  bool any = false;
  for (const std::string& name : seen.port().uppers) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev == nullptr || !carries_roce(*netdev)) continue;
    any = true;
    if (!netdev->link.vlan) return out.unknown(netdev->link.vlan.absent());
    const auto& map = netdev->link.vlan->egress_qos;
    if (reaches(map, profile.roce_priority)) continue;
    wrong.push_back(name);
    evidence.push_back(seen.word("egress map of " + name, map.empty() ? "empty" : "no ToS leads to RoCE's priority",
                                 "!=", "0:" + std::to_string(profile.roce_priority), "rtnetlink " + name));
  }
  if (!any) return judge_untagged(seen, out);
  if (wrong.empty()) return out.pass();
  out.fail(Severity::Critical,
           "Packets from " + joined(wrong) + " never carry priority " + std::to_string(profile.roce_priority) +
               " in the VLAN tag, which profile " + profile.name + " classifies by; without an egress map it is 0.",
           std::move(evidence));
}

}  // namespace

extern const Rule kQosVlanEgressMap;
constinit const Rule kQosVlanEgressMap{
    .id = "qos-vlan-egress-map",
    .since = "0.3",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical},
    .judged = kStatic,
    .modes = kLossless,
    .scope = Scope::Port,
    .title = "Tagged RoCE leaves with the default priority",
    .what =
        "Where the profile classifies by the VLAN tag: reads the egress map of the VLANs with routable addresses. "
        "Fires when none of its entries for what the kernel makes of a ToS (0, 2, 4, 6) gives RoCE's priority, and "
        "when "
        "the routable address is on the port itself, whose packets have no tag.",
    .why = "RoCE travels in the default class: no pause is sent for it, and it is dropped under load.",
    .next = "Put RoCE's address on a VLAN, and map kernel priority 0 to RoCE's priority there.",
    .likely_causes = {"VLAN made anew at boot without its map", "map never set",
                      "address on the port instead of its VLAN"},
    .fix = {Recipe::EgressMap},
    .traps = {"With trust in DSCP the tag does not matter, and this rule does not apply.",
              "The kernel derives 0, 2, 4 or 6 from a ToS: priority 3 in the tag always needs the map.",
              "A verbs program that sets a service level itself chooses its tag; that is not seen.",
              "A virtual function may be tagged by its physical function, which it cannot see."},
    .facts = {"kernel-tos-to-priority"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// True when every routable address of the port is on a VLAN, so that its packets carry a priority of their own.
bool all_traffic_is_tagged(const Evidence& seen) {
  bool tagged = false;
  std::vector<std::string> names = seen.port().uppers;
  names.insert(names.end(), seen.port().members.begin(), seen.port().members.end());
  for (const std::string& name : names) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev == nullptr) continue;
    for (const IpAddress& address : netdev->link.addresses) {
      if (!address.is_routable()) continue;
      if (netdev->link.kind != "vlan") return false;
      tagged = true;
    }
  }
  return tagged;
}

void judge(const Evidence& seen, Outcomes& out) {
  const Profile* profile = stated_profile(seen, out);
  if (profile == nullptr) return;
  if (profile->trust != "dscp")
    return out.not_applicable("profile " + profile->name + " does not ask for trust in DSCP");
  const Reading<std::string>& trust = seen.member().dcb.trust;
  if (!trust) return cannot_read(out, trust.absent(), "what it trusts");
  if (*trust == "dscp") return out.pass();

  const std::string& name = seen.member().link.name;
  const bool tagged = all_traffic_is_tagged(seen);
  Severity severity = profile->pfc_priorities != 0 && !tagged ? Severity::Critical : Severity::Warning;
  std::string sentence =
      name + " classifies by the priority in the VLAN tag, not by DSCP, as profile " + profile->name + " expects. ";
  sentence += tagged ? "Its traffic is tagged, so it keeps the tag's priority."
                     : "Untagged RoCE arrives and leaves in the default class.";
  if (may_still_converge(seen)) {
    severity = Severity::Info;
    sentence += " The link came up a moment ago and DCBX may still change that.";
  }
  out.fail(severity, sentence, {seen.word("trust", *trust, "!=", "dscp", dcb_source(seen))});
}

}  // namespace

extern const Rule kQosTrustPcp;
constinit const Rule kQosTrustPcp{
    .id = "qos-trust-pcp",
    .family = "qos",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .mandatory = kLossless | kPfcOnly,
    .title = "NIC trusts the VLAN tag although the profile uses DSCP",
    .what =
        "Reads what the NIC classifies by: the vendor driver's file, else DSCP entries in the DCB application table. "
        "Critical when PFC relies on it and the traffic is untagged, else warning.",
    .why = "RoCE lands in the default class: the switch never pauses for it, and it is dropped under load.",
    .next = "Set trust to DSCP on this NIC, and make the setting survive a reboot.",
    .likely_causes = {"setting lost at reboot", "never configured", "firmware LLDP agent took over (Intel E800)"},
    .fix = {Recipe::Trust},
    .traps =
        {"Some fabrics use the tag by design: their profile says so, and this rule does not apply.",
         "Broadcom's and AMD's drivers never show it: then it is not looked at, not passed.",
         "On mlx5 and ice DSCP trust is read off the application table; a NIC without DSCP entries trusts the tag."},
    .facts = {"mlx5-dcbnl-trust", "ice-dscp-mode", "no-nic-has-apptrust"},
    .judge = judge,
};

}  // namespace roceready::rules

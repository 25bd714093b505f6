// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// A member that waits while another one of an active-backup bond carries the traffic. In other bond modes the kernel
/// calls a member without carrier "backup" too, and there it is missing bandwidth.
bool is_standby(const Evidence& seen) {
  const NetLink& link = seen.member().link;
  const Netdev* bond = seen.now().netdev(link.master);
  constexpr std::uint32_t kActiveBackup = 1;
  return bond != nullptr && bond->link.bond && bond->link.bond->mode == kActiveBackup &&
         !bond->link.bond->active_member.empty() && bond->link.bond->active_member != link.name;
}

void judge(const Evidence& seen, Outcomes& out) {
  const NetLink& link = seen.member().link;
  const RdmaPort& port = seen.port();
  const bool carrier_known = link.oper_state.has_value() || link.carrier.has_value();
  const bool up = link.carrier.value_or(false) || link.oper_state.value_or("") == "up";
  if (!carrier_known) return out.unknown(link.oper_state.absent());
  if (up && !port.state) return out.unknown(port.state.absent());
  if (up && *port.state == "ACTIVE") return out.pass();

  const std::string source = "rtnetlink " + link.name;
  std::vector<EvidenceItem> evidence;
  if (link.oper_state) evidence.push_back(seen.word("operational state", *link.oper_state, "!=", "up", source));
  if (link.carrier) evidence.push_back(seen.word("carrier", *link.carrier ? "on" : "off", source));
  if (port.state) evidence.push_back(seen.word("RDMA port state", *port.state, "!=", "ACTIVE", port_name(seen)));

  if (up)
    return (void)out.fail(Severity::Critical,
                          port_name(seen) + " is " + *port.state + " although " + link.name + " has carrier.",
                          std::move(evidence));

  std::string sentence = link.name + " has no carrier";
  if (link.admin_up && !*link.admin_up) sentence = link.name + " is administratively down";
  const LinkState state = seen.member().ethtool.link_state ? *seen.member().ethtool.link_state : LinkState{};
  if (state.extended_state) {
    sentence += ": " + *state.extended_state;
    if (state.extended_substate) sentence += ", " + *state.extended_substate;
    evidence.push_back(seen.word("extended link state", *state.extended_state, "ethtool " + link.name));
  }
  const bool maintenance = !seen.one_shot() && was_touched(seen, seen.limit("grace_s"));
  Severity severity = Severity::Critical;
  if (is_standby(seen)) {
    severity = maintenance ? Severity::Info : Severity::Warning;
    sentence += ". It is the standby member of " + link.master + ": traffic goes on, without a spare";
  } else if (maintenance) {
    severity = Severity::Info;
    sentence += ", a moment after somebody took it down";
  }
  out.fail(severity, sentence + ".", std::move(evidence));
}

}  // namespace

extern const Rule kLinkDown;
constinit const Rule kLinkDown{
    .id = "link-down",
    .family = "link",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .mandatory = kRoceModes,
    .title = "RoCE port has no carrier",
    .what =
        "Reads carrier and operational state of the netdev, the state of the RDMA port and, where the kernel gives it, "
        "the extended link state. Fires when a port in scope is not up or its RDMA port is not ACTIVE.",
    .why = "RDMA sessions over this port fail, and a synchronous job stops at one dead rail.",
    .next =
        "Follow the extended link state if there is one; else check cable and module, then the switch port, then that "
        "speed and FEC agree on both ends.",
    .likely_causes = {"cable or optical module", "switch port shut down", "speed or FEC differs between both ends",
                      "interface set down", "firmware"},
    .fix = {Recipe::LinkUp, Recipe::Optic, Recipe::Fec},
    .traps =
        {"A port that is not used must be out of scope: no address, or ports.exclude.",
         "The standby member of an active-backup bond is a warning: traffic goes on, but nothing is left to take over.",
         "Within the grace after somebody set the interface down, a daemon reports info."},
    .limits = {Limit{.name = "grace_s",
                     .value = 120,
                     .unit = "seconds",
                     .min = 0,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "after an interface was set down by hand, its missing carrier is info for that long"},
               Limit{.name = "hold_s",
                     .value = 10,
                     .unit = "seconds",
                     .min = 0,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "a daemon reports a port that is down as info until it has been so for that long"}},
    .facts = {"kernel-operstate", "ethtool-extended-link-state", "bond-member-state"},
    .judge = judge,
};

}  // namespace roceready::rules

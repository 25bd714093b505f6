// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rules/roce/roce_lag.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

bool is_multiport(const Evidence& seen) {
  const auto& ports = seen.now().ports;
  return std::any_of(ports.begin(), ports.end(), [&](const RdmaPort& port) {
    return port.device == seen.port().device && port.port != seen.port().port;
  });
}

/// A member whose embedded switch is in switchdev mode; "" where none is.
std::string switchdev_member(const Evidence& seen) {
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    if (member != nullptr && member->link.phys_switch_id && !member->link.phys_switch_id->empty()) return name;
  }
  return "";
}

void judge(const Evidence& seen, Outcomes& out) {
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
  const std::vector<std::string>& members = seen.port().members;
  const bool by_design = seen.profile() != nullptr && seen.profile()->lag;
  if (const Netdev* bond = bond_of(seen); bond != nullptr && members.size() > 1 && !by_design) {
    words.push_back("congestion is counted as a sum over " + joined(members) + ", the members of " + bond->link.name);
    evidence.push_back(
        seen.item("members", static_cast<double>(members.size()), "count", ">", 1, "rtnetlink " + bond->link.name));
  }
  if (is_multiport(seen)) {
    words.push_back("the ports of " + seen.port().device + " share one device, and may share its counters");
    evidence.push_back(seen.word("ports of " + seen.port().device, "more than one", "RDMA netlink"));
  }
  if (const std::string member = switchdev_member(seen); !member.empty()) {
    words.push_back(member + " is in switchdev mode, in which congestion and port counters are not shown per function");
    evidence.push_back(
        seen.word("switch id of " + member, *seen.now().netdev(member)->link.phys_switch_id, "rtnetlink " + member));
  }
  if (words.empty()) {
    if (members.empty()) return out.unknown(Absent{Why::NotPresent, "the netdev of the port is not known"});
    for (const std::string& name : members) {
      const Netdev* member = seen.now().netdev(name);
      if (member == nullptr) return out.unknown(Absent{Why::NotPresent, "no link " + name + " in the kernel's answer"});
      if (member->link.phys_switch_id) continue;
      const Absent& why = member->link.phys_switch_id.absent();
      const bool none = why.why == Why::NotPresent || why.why == Why::NotSupported;
      if (!none) return out.unknown(why);
    }
    return out.pass();
  }
  out.fail(Severity::Info, "Counters of " + port_name(seen) + " are not its own alone: " + joined(words) + ".",
           std::move(evidence));
}

}  // namespace

extern const Rule kRoceDualPortCounterScope;
constinit const Rule kRoceDualPortCounterScope{
    .id = "roce-dual-port-counter-scope",
    .family = "roce",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Congestion counters do not belong to one port alone",
    .what = "Notes that the port is a bond of several members, one port of several of a device, or in switchdev mode.",
    .why = "ECN and CNP counters are then sums over ports, or missing: what the ecn rules say holds for the whole.",
    .next = "Nothing is to be repaired; look at the per-member statistics of ethtool to tell the ports apart.",
    .likely_causes = {"RoCE LAG", "multiport RoCE", "switchdev mode for virtual machines or containers"},
    .fix = {Recipe::Lag},
    .traps =
        {"By design on many nodes: info, and no points are lost. Where the profile says lag, sums over a bond are not "
         "mentioned.",
         "Per-member link, PFC and drop counters are not affected."},
    .facts = {"mlx5-roce-lag"},
    .judge = judge,
};

}  // namespace roceready::rules

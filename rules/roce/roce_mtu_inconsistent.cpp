// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/roce/roce_mtu.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Faults {
  std::vector<std::string> words;
  std::vector<EvidenceItem> evidence;
};

/// `upper` sends what `lower` must carry.
void compare(const Evidence& seen, const NetLink& upper, const NetLink& lower, Faults& faults) {
  if (!upper.mtu || !lower.mtu || *upper.mtu <= *lower.mtu) return;
  faults.words.push_back(upper.name + " has an MTU of " + std::to_string(*upper.mtu) + ", more than the " +
                         std::to_string(*lower.mtu) + " of " + lower.name + " under it");
  faults.evidence.push_back(
      seen.item("MTU of " + upper.name, *upper.mtu, "bytes", ">", *lower.mtu, "rtnetlink " + upper.name));
}

void judge(const Evidence& seen, Outcomes& out) {
  const RdmaPort& port = seen.port();
  const Netdev* own = port.netdev ? seen.now().netdev(*port.netdev) : nullptr;
  if (own == nullptr)
    return out.unknown(port.netdev ? Absent{Why::NotPresent, "no netdev " + *port.netdev} : port.netdev.absent());
  if (!own->link.mtu) return out.unknown(own->link.mtu.absent());

  Faults faults;
  std::vector<std::string> uppers = port.uppers;
  const bool among = std::find(uppers.begin(), uppers.end(), own->link.name) != uppers.end();  // a bond is
  if (!own->link.name.empty() && !among) uppers.push_back(own->link.name);
  for (const std::string& name : uppers) {
    const Netdev* upper = seen.now().netdev(name);
    if (upper == nullptr) continue;
    if (const Netdev* parent = seen.now().netdev(upper->link.lower)) compare(seen, upper->link, parent->link, faults);
    if (upper->link.kind != "bond") continue;
    for (const std::string& member : port.members)
      if (const Netdev* lower = seen.now().netdev(member)) compare(seen, upper->link, lower->link, faults);
  }
  const std::uint32_t fits = rdma_mtu_of(*own->link.mtu);
  if (port.active_mtu && *port.active_mtu > fits) {
    faults.words.push_back(port_name(seen) + " uses an RDMA MTU of " + std::to_string(*port.active_mtu) +
                           ", but the MTU " + std::to_string(*own->link.mtu) + " of " + own->link.name + " allows " +
                           std::to_string(fits));
    faults.evidence.push_back(seen.item("RDMA MTU", *port.active_mtu, "bytes", ">", fits, port_name(seen)));
  }
  if (!faults.words.empty())
    return (void)out.fail(Severity::Warning, joined(faults.words) + ".", std::move(faults.evidence));
  if (!port.active_mtu) return out.unknown(port.active_mtu.absent());
  out.pass();
}

}  // namespace

extern const Rule kRoceMtuInconsistent;
constinit const Rule kRoceMtuInconsistent{
    .id = "roce-mtu-inconsistent",
    .family = "roce",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "MTUs of port, VLAN, bond and RDMA disagree",
    .what =
        "Fires when a VLAN or bond has a larger MTU than the netdev under it, or when the RDMA MTU is larger than the "
        "netdev's MTU allows.",
    .why = "Large packets are dropped on the way, and large transfers hang while small ones work.",
    .next = "Give the netdev, its VLANs and its bond one MTU, then restart the applications.",
    .likely_causes = {"MTU changed on one of them only", "RDMA MTU left from an earlier setting"},
    .fix = {Recipe::Mtu},
    .traps = {"A VLAN with a smaller MTU than the netdev under it is fine.",
              "What the switch allows is not seen here."},
    .facts = {"kernel-roce-mtu"},
    .judge = judge,
};

}  // namespace roceready::rules

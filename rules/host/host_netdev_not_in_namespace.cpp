// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kConfidence = 0.9;  // what the container is meant for is not seen

bool is_veth(const Netdev& netdev) {
  return netdev.link.kind == "veth" || (netdev.ethtool.driver && netdev.ethtool.driver->driver == "veth");
}

bool is_routable(const Netdev& netdev) {
  return std::any_of(netdev.link.addresses.begin(), netdev.link.addresses.end(),
                     [](const IpAddress& address) { return address.is_routable(); });
}

/// What this network namespace has for its traffic: netdevs with a routable address; where files tell no addresses,
/// all. More than a pod has are then the near ends of a host's veths.
std::vector<const Netdev*> netdevs_here(const Snapshot& now) {
  const bool told = std::any_of(now.netdevs.begin(), now.netdevs.end(), is_routable);
  std::vector<const Netdev*> out;
  for (const Netdev& netdev : now.netdevs)
    if (netdev.link.name != "lo" && (!told || is_routable(netdev))) out.push_back(&netdev);
  constexpr std::size_t kMostOfPod = 2;
  if (!told && out.size() > kMostOfPod) out.clear();
  return out;
}

/// Ports that could do RoCE here if they had a netdev.
std::vector<const RdmaPort*> ethernet_ports(const Snapshot& now) {
  std::vector<const RdmaPort*> out;
  for (const RdmaPort& port : now.ports)
    if (port.link_layer.value_or("Ethernet") == "Ethernet" && port.protocol.value_or("roce") != "ib")
      out.push_back(&port);
  return out;
}

/// "mlx5_0 and mlx5_1", "mlx5_0, mlx5_1, mlx5_2 and 5 more".
std::string names_of(const std::vector<const RdmaPort*>& ports) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const RdmaPort* port : ports)
    if (std::find(names.begin(), names.end(), port->device) == names.end()) names.push_back(port->device);
  if (names.size() > kMost) {
    const std::size_t more = names.size() - (kMost - 1);
    names.resize(kMost - 1);
    names.push_back(std::to_string(more) + " more");
  }
  return joined(names);
}

/// Where show_gids was run and found none; null elsewhere.
const LogFact* no_gids(const Snapshot& now) {
  const auto at =
      std::find_if(now.log.begin(), now.log.end(), [](const LogFact& fact) { return fact.kind == "no_gids"; });
  return at == now.log.end() ? nullptr : &*at;
}

void fail(const Evidence& seen, Outcomes& out, const std::vector<const RdmaPort*>& ports,
          const std::vector<const Netdev*>& here) {
  const LogFact* none = no_gids(seen.now());
  std::vector<std::string> veths;
  std::vector<EvidenceItem> evidence;
  for (const Netdev* netdev : here) {
    const std::string& name = netdev->link.name;
    veths.push_back(name);
    const bool by_driver = netdev->link.kind != "veth";
    evidence.push_back(seen.word((by_driver ? "driver of " : "kind of ") + name, "veth",
                                 (by_driver ? "ethtool -i " : "rtnetlink ") + name));
  }
  for (const RdmaPort* port : ports)
    evidence.push_back(
        seen.word("netdev of " + owner_of(*port), "not in this network namespace", "RDMA port " + owner_of(*port)));
  if (none != nullptr) evidence.push_back(seen.word("GIDs that show_gids found", "none", none->place));
  const std::string whose = ports.size() > 1 ? "none of their netdevs is" : "its netdev is not";
  std::string sentence = names_of(ports) + (ports.size() > 1 ? " are" : " is") + " visible, but " + whose +
                         " in this network namespace: what is here, " + joined(veths) +
                         (veths.size() > 1 ? ", are veths" : ", is a veth") + ", and a veth has no RoCE GID.";
  if (none != nullptr) sentence += " show_gids found none.";
  sentence += " Nothing can use RoCE from inside it; nothing says that the NIC itself is at fault.";
  const bool wanted = seen.profile() != nullptr || none != nullptr;
  if (!wanted) sentence += " No profile says that RoCE is meant to run here.";
  out.fail(wanted ? Severity::Critical : Severity::Info, std::move(sentence), std::move(evidence)).confidence =
      kConfidence;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<const RdmaPort*> ports = ethernet_ports(seen.now());
  if (ports.empty()) return out.not_applicable("no RDMA port of Ethernet is visible");
  const auto is_here = [](const RdmaPort& port) { return port.netdev.has_value(); };
  if (std::any_of(seen.now().ports.begin(), seen.now().ports.end(), is_here))
    return out.not_applicable("not all netdevs of RDMA ports are in other network namespaces");
  for (const RdmaPort* port : ports)
    if (port->netdev.absent().why != Why::OtherNamespace) return out.unknown(port->netdev.absent());
  const std::vector<const Netdev*> here = netdevs_here(seen.now());
  if (here.empty()) return out.not_applicable("no netdev with a routable address is known of this network namespace");
  // A host has a netdev of its own, for its management at least: there the NICs may have been given to containers.
  if (!std::all_of(here.begin(), here.end(), [](const Netdev* netdev) { return is_veth(*netdev); }))
    return out.not_applicable("this network namespace has other netdevs than a container's veth");
  fail(seen, out, ports, here);
}

}  // namespace

extern const Rule kHostNetdevNotInNamespace;
constinit const Rule kHostNetdevNotInNamespace{
    .id = "host-netdev-not-in-namespace",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kStatic,
    .modes = kRoceModes,
    .scope = Scope::Node,
    .title = "No netdev of the RDMA NICs is in this network namespace",
    .what =
        "Fires where RDMA ports are visible, the netdevs of all of them are in other network namespaces, and the only "
        "netdevs with a routable address here are veths, as in a pod whose network is a plain CNI's. Critical where a "
        "profile is named or somebody looked for GIDs and found none, info elsewhere.",
    .why = "RoCE addresses belong to netdevs: without one of the NIC's, no connection can be made from in here.",
    .next =
        "Attach a virtual function, a macvlan or an ipvlan of the RDMA NIC to the container (SR-IOV or macvlan CNI), "
        "or "
        "run it in the host's network; then choose a GID of that netdev.",
    .likely_causes = {"the pod has only the cluster's default network",
                      "the second network of the pod was not attached",
                      "roceready itself runs in a pod without the host's network"},
    .fix = {Recipe::None},
    .traps = {"Where any port has its netdev here, or the namespace has a netdev that is no veth, this may be a host "
              "that gave NICs to its containers: nothing is said.",
              "The speed of a veth, 10 Gbit/s whatever is below, says nothing of the NIC.",
              "RDMA devices are visible in every network namespace unless the RDMA subsystem is set to exclusive."},
    .facts = {"kernel-gid-table", "rdma-netns-shared"},
    .judge = judge,
};

}  // namespace roceready::rules

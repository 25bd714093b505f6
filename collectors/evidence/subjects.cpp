// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/subjects.h"

#include <algorithm>
#include <set>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/rdma_words.h"

namespace roceready::evidence {
namespace {

/// Netdevs that are no NIC by their name or kind.
bool is_side_show(const Netdev& netdev) {
  const std::string& name = netdev.link.name;
  for (const char* prefix : {"lo", "docker", "veth", "virbr", "cali", "cni", "flannel", "tun", "tap", "vnet", "br-"}) {
    if (name.starts_with(prefix) && (name != "lo" || name.size() == 2)) return true;
  }
  return !netdev.link.kind.empty();
}

/// What the outputs that do say whom they are about name.
struct Named {
  std::set<std::string> netdevs, devices, functions;
  bool nameless = false;  ///< some output is about nobody
};

Named named_in(const std::vector<Section>& sections) {
  Draft draft;
  Named out;
  std::set<std::string> asked;  // somebody ran a command on them
  for (const Section& section : sections) {
    const bool lists = section.about.nobody();
    section.format->parse(section, draft);
    if (!lists && !section.about.netdev.empty()) asked.insert(section.about.netdev);
  }
  std::set<std::string> paired, any;
  for (const RdmaPort& port : draft.snapshot().ports) {
    if (!port.device.empty()) out.devices.insert(port.device);
    out.nameless |= port.device.empty();
    const std::string netdev = port.netdev ? *port.netdev : netdev_by_gids(draft.snapshot(), port);
    if (!netdev.empty()) paired.insert(netdev);
  }
  for (const Netdev& netdev : draft.snapshot().netdevs) {
    out.nameless |= netdev.link.name.empty();
    if (!netdev.link.name.empty() && !is_side_show(netdev)) any.insert(netdev.link.name);
  }
  for (const PciFunction& function : draft.snapshot().pci) {
    out.nameless |= function.address.empty();
    if (!function.address.empty()) out.functions.insert(function.address);
  }
  out.netdevs = !paired.empty() ? paired : !asked.empty() ? asked : any;
  return out;
}

std::string only_one(const std::set<std::string>& names, const char* nameless) {
  return names.size() == 1 ? *names.begin() : nameless;
}

}  // namespace

void name_the_nameless(std::vector<Section>& sections, const std::string& device,
                       std::vector<std::string>& assumptions) {
  const Named named = named_in(sections);
  const std::string netdev = only_one(named.netdevs, kNamelessNetdev);
  const std::string rdma = !device.empty() ? device : only_one(named.devices, kNamelessDevice);
  const std::string function = only_one(named.functions, kNamelessFunction);
  for (Section& section : sections) {
    About& about = section.about;
    if (about.netdev.empty()) about.netdev = netdev;
    if (about.device.empty()) about.device = rdma;
    if (about.pci.empty()) about.pci = function;
  }
  if (!named.nameless) return;
  if (netdev == kNamelessNetdev && rdma == kNamelessDevice)
    assumptions.push_back("no file names the port: one port is assumed, here called DEVICE, its netdev NETDEV");
  else
    assumptions.push_back("outputs that name nobody are taken as those of " +
                          (rdma == kNamelessDevice     ? "netdev " + netdev
                           : netdev == kNamelessNetdev ? "RDMA device " + rdma
                                                       : rdma + ", netdev " + netdev));
}

}  // namespace roceready::evidence

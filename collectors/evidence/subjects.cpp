// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/subjects.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "collectors/evidence/draft.h"
#include "collectors/evidence/format.h"
#include "collectors/evidence/nicctl.h"
#include "collectors/evidence/rdma_words.h"

namespace roceready::evidence {

extern const Format kSwitchCounters;

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
  std::map<std::string, std::string> netdev_of_device, netdev_of_function, device_of_netdev;
  std::set<std::pair<const Format*, std::string>> own;  ///< formats of which an output names a netdev
  bool nameless = false;                                ///< some output is about nobody
};

Named named_in(const std::vector<Section>& sections) {
  Draft draft;
  Named out;
  std::set<std::string> asked;  // somebody ran a command on them
  for (const Section& section : sections) {
    const bool lists = section.about.nobody();
    section.format->parse(section, draft);
    if (!lists && !section.about.netdev.empty()) asked.insert(section.about.netdev);
    if (!section.about.netdev.empty()) out.own.emplace(section.format, section.about.netdev);
    if (!section.about.pci.empty()) out.functions.insert(section.about.pci);
  }
  std::set<std::string> paired, any;
  for (const RdmaPort& port : draft.snapshot().ports) {
    if (!port.device.empty()) out.devices.insert(port.device);
    out.nameless |= port.device.empty();
    const std::string netdev = port.netdev ? *port.netdev : netdev_by_gids(draft.snapshot(), port);
    if (netdev.empty()) continue;
    paired.insert(netdev);
    out.netdev_of_device.emplace(port.device, netdev);
    out.device_of_netdev.emplace(netdev, port.device);
  }
  for (const Netdev& netdev : draft.snapshot().netdevs) {
    out.nameless |= netdev.link.name.empty();
    if (netdev.link.name.empty()) continue;
    if (!is_side_show(netdev)) any.insert(netdev.link.name);
    if (netdev.link.parent_device) out.netdev_of_function.emplace(*netdev.link.parent_device, netdev.link.name);
  }
  for (const PciFunction& function : draft.snapshot().pci) {
    out.nameless |= function.address.empty();
    if (!function.address.empty()) out.functions.insert(function.address);
  }
  out.netdevs = !paired.empty() ? paired : !asked.empty() ? asked : any;
  return out;
}

/// Tells each section what follows it in its file.
void find_next(std::vector<Section>& sections) {
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> order;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].lines.empty()) order[{sections[i].file, sections[i].lines[0].number}] = i;
  }
  for (auto at = order.begin(); at != order.end(); ++at) {
    const auto behind = std::next(at);
    if (behind != order.end() && behind->first.first == at->first.first)
      sections[at->second].next = sections[behind->second].format;
  }
}

std::string only_one(const std::set<std::string>& names, const char* nameless) {
  return names.size() == 1 ? *names.begin() : nameless;
}

std::string found_in(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? std::string() : at->second;
}

/// The subjects of an output that names none: the only ones of the files.
struct Only {
  std::string netdev, device, function;
};

/// An output about a device is its netdev's alone: of another netdev it says nothing.
void name_by_device(About& about, const Named& named, const Only& only) {
  about.netdev = found_in(named.netdev_of_device, about.device);
  if (!about.netdev.empty()) return;
  const bool other = named.devices.size() > 1 || !named.devices.contains(about.device);
  about.netdev = other && !named.devices.empty() ? nameless_netdev_of(about.device) : only.netdev;
}

/// The same of a PCI function; where nothing pairs it, its netdev and device are not told.
void name_by_function(About& about, const Named& named, const Only& only) {
  about.netdev = found_in(named.netdev_of_function, about.pci);
  if (!about.netdev.empty()) {
    const std::string device = found_in(named.device_of_netdev, about.netdev);
    about.device = !device.empty() || !named.device_of_netdev.empty() ? device : only.device;
    return;
  }
  const bool paired = std::any_of(named.netdev_of_function.begin(), named.netdev_of_function.end(),
                                  [&](const auto& pair) { return pair.second == only.netdev; });
  if (paired || named.functions.size() > 1) return;
  about.netdev = only.netdev;
  about.device = only.device;
}

/// nicctl names the function alone: where no file tells its netdev, that is said. Whether it was taken as `only`'s.
bool name_nicctl(Section& section, const Named& named, const Only& only, std::vector<std::string>& assumptions) {
  About& about = section.about;
  name_by_function(about, named, only);
  if (about.netdev.empty())
    assumptions.push_back(place_text(section, section.lines.empty() ? 0 : section.lines[0].number) + ": nicctl shows " +
                          about.pci + ", of which no file names the netdev; it is not judged");
  return about.netdev == only.netdev && !named.netdev_of_function.contains(about.pci);
}

/// A piece without its heading, where another output of the tool does say that it is of that netdev: of whom this one
/// is nobody knows.
bool is_anothers(const Section& section, const Named& named, const Only& only) {
  return section.about.nobody() && !section.headed && named.own.contains({section.format, only.netdev});
}

}  // namespace

std::string nameless_netdev_of(const std::string& device) {
  return std::string(kNamelessNetdev) + "-" + device;
}

void set_switches_apart(std::vector<Section>& sections) {
  std::set<std::string> switches, nodes;
  for (const Section& section : sections) (section.format == &kSwitchCounters ? switches : nodes).insert(section.host);
  for (Section& section : sections) {
    if (section.host.empty() || nodes.contains(section.host)) continue;
    section.peer = std::exchange(section.host, {});
  }
}

void name_the_nameless(std::vector<Section>& sections, const std::string& device,
                       std::vector<std::string>& assumptions) {
  find_next(sections);
  for (Section& section : sections)
    if (section.format == &kNicctl && section.about.nobody()) section.about.pci = function_of_nicctl(section);
  Named named = named_in(sections);
  const std::string netdev = only_one(named.netdevs, kNamelessNetdev);
  const std::string rdma = !device.empty() ? device : only_one(named.devices, kNamelessDevice);
  const Only only{netdev, rdma, only_one(named.functions, kNamelessFunction)};
  for (Section& section : sections) {
    About& about = section.about;
    if (is_anothers(section, named, only)) {
      assumptions.push_back(place_text(section, section.lines.empty() ? 0 : section.lines[0].number) +
                            ": this piece of " + section.format->name + " names nobody; it is not taken as " + netdev +
                            "'s, which has one of its own");
      about.netdev = kNamelessNetdev;
    }
    if (!about.netdev.empty()) {
      if (about.device.empty()) about.device = rdma;
    } else if (!about.device.empty()) {
      name_by_device(about, named, only);
    } else if (!about.pci.empty() && section.format == &kNicctl) {
      named.nameless |= name_nicctl(section, named, only, assumptions);
      continue;
    } else if (!about.pci.empty()) {
      name_by_function(about, named, only);
      continue;
    } else {
      about.netdev = netdev;
      about.device = rdma;
    }
    if (about.pci.empty()) about.pci = only.function;
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

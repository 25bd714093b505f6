// SPDX-License-Identifier: Apache-2.0
#include "collectors/evidence/settle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "collectors/dscp_map.h"
#include "collectors/evidence/ask.h"
#include "collectors/evidence/names_in_logs.h"
#include "collectors/evidence/nicctl.h"
#include "collectors/evidence/processes.h"
#include "collectors/evidence/rdma_words.h"
#include "collectors/evidence/settle_counters.h"
#include "collectors/evidence/subjects.h"
#include "collectors/evidence/words.h"
#include "collectors/rdma_devices.h"
#include "collectors/vendors/vendor.h"

namespace roceready::evidence {
namespace {

void assume(std::vector<std::string>& assumptions, std::string sentence) {
  if (std::find(assumptions.begin(), assumptions.end(), sentence) == assumptions.end())
    assumptions.push_back(std::move(sentence));
}

Netdev* netdev_named(Snapshot& snapshot, const std::string& name) {
  return const_cast<Netdev*>(std::as_const(snapshot).netdev(name));
}

/// The netdev of that name, made where no output tells of it.
Netdev& netdev_for(Snapshot& snapshot, const std::string& name) {
  if (Netdev* known = netdev_named(snapshot, name)) return *known;
  Netdev netdev;
  netdev.link.name = name;
  const auto at = std::lower_bound(snapshot.netdevs.begin(), snapshot.netdevs.end(), name,
                                   [](const Netdev& a, const std::string& b) { return a.link.name < b; });
  return *snapshot.netdevs.insert(at, std::move(netdev));
}

bool is_paired(const Snapshot& snapshot, const std::string& netdev) {
  return std::any_of(snapshot.ports.begin(), snapshot.ports.end(),
                     [&](const RdmaPort& port) { return port.netdev && *port.netdev == netdev; });
}

/// A driver's own netdev that some output tells of as of a NIC.
bool may_carry_rdma(const Netdev& netdev, const Draft& draft) {
  if (!netdev.link.kind.empty() || netdev.link.name == "lo") return false;
  if (netdev.ethtool.driver) {
    const VendorTable* table = vendor_of_netdev(netdev.ethtool.driver->driver);
    return table != nullptr && !table->rdma_drivers.empty();
  }
  return draft.counters().statistics.contains(netdev.link.name) || netdev.dcb.pfc || netdev.dcb.trust ||
         netdev.dcb.ets || netdev.dcb.buffers || netdev.ethtool.link_modes || netdev.ethtool.pause ||
         netdev.link.name == kNamelessNetdev;
}

/// Netdevs whose module, FEC or rings some output was asked for, where no port is told of and none that may carry RDMA.
/// A link alone may be the management's.
std::vector<std::string> netdevs_asked_for(const Snapshot& snapshot) {
  std::vector<std::string> out;
  for (const Netdev& netdev : snapshot.netdevs) {
    const EthtoolFacts& facts = netdev.ethtool;
    if (!netdev.link.kind.empty() || netdev.link.name == "lo" || facts.driver) continue;
    if (facts.module || facts.fec || facts.rings) out.push_back(netdev.link.name);
  }
  return out;
}

void netdevs_from_gids(Snapshot& snapshot, std::vector<std::string>& assumptions) {
  for (RdmaPort& port : snapshot.ports) {
    if (port.netdev || port.netdev.absent().why != Why::NotRecorded) continue;
    const std::string name = netdev_by_gids(snapshot, port);
    if (name.empty() || is_paired(snapshot, name)) continue;
    port.netdev = name;
    assume(assumptions, "netdev " + name + " is taken as that of RDMA device " + port.device + ", by its GIDs");
  }
}

/// Whether the files hold counters of switches and nothing of a node.
bool is_of_switches(const Snapshot& snapshot) {
  return !snapshot.log.empty() && snapshot.netdevs.empty() && snapshot.pci.empty() &&
         std::all_of(snapshot.log.begin(), snapshot.log.end(),
                     [](const LogFact& fact) { return fact.kind.starts_with("switch_"); });
}

/// Files that name a PCI function alone made a port of it: where another port turns out to be of that function, they
/// are its own.
void join_ports_of_functions(Snapshot& snapshot) {
  const auto function_of = [&](const RdmaPort& port) {
    const Netdev* netdev = port.netdev ? snapshot.netdev(*port.netdev) : nullptr;
    if (port.pci_address) return *port.pci_address;
    return netdev != nullptr ? netdev->link.parent_device.value_or("") : std::string();
  };
  const auto is_nameless = [](const RdmaPort& port) { return port.device.empty() || port.device == kNamelessDevice; };
  std::vector<RdmaPort>& ports = snapshot.ports;
  for (auto at = ports.begin(); at != ports.end();) {
    const auto named = std::find_if(ports.begin(), ports.end(), [&](const RdmaPort& other) {
      return !is_nameless(other) && !function_of(other).empty() && function_of(other) == function_of(*at);
    });
    if (!is_nameless(*at) || named == ports.end()) {
      ++at;
      continue;
    }
    named->vendor_files.merge(at->vendor_files);
    at = ports.erase(at);
  }
}

/// NICs that could do RDMA on a host where verbs know no device.
bool find_nics_without_rdma(Snapshot& snapshot, const Draft& draft, std::vector<std::string>& assumptions) {
  if (!snapshot.ports.empty() || !draft.no_rdma_devices()) return false;
  for (const Netdev& netdev : snapshot.netdevs) {
    const std::string address = netdev.link.parent_device.value_or("");
    const bool capable = netdev.ethtool.driver && may_carry_rdma(netdev, draft);
    if (capable && !draft.virtual_functions().contains(address))
      snapshot.nics_without_rdma.push_back({address, netdev.ethtool.driver->driver, netdev.link.name});
  }
  if (snapshot.nics_without_rdma.empty()) return false;
  assume(assumptions, "verbs know no RDMA device: no port is assumed for the NICs of the files");
  return true;
}

bool is_veth(const Netdev& netdev) {
  return netdev.link.kind == "veth" || (netdev.ethtool.driver && netdev.ethtool.driver->driver == "veth");
}

/// A pod's outputs: show_gids found none, and what they tell of netdevs is of veths alone. The netdevs of the RDMA
/// devices are then in other network namespaces.
void netdevs_elsewhere(Snapshot& snapshot) {
  const bool no_gids =
      std::any_of(snapshot.log.begin(), snapshot.log.end(), [](const LogFact& fact) { return fact.kind == "no_gids"; });
  const auto is_veth_or_lo = [](const Netdev& netdev) { return netdev.link.name == "lo" || is_veth(netdev); };
  const bool any_veth = std::any_of(snapshot.netdevs.begin(), snapshot.netdevs.end(), is_veth);
  const bool others = !std::all_of(snapshot.netdevs.begin(), snapshot.netdevs.end(), is_veth_or_lo);
  const bool paired = std::any_of(snapshot.ports.begin(), snapshot.ports.end(), [](const RdmaPort& port) {
    return port.netdev || (port.gids && !port.gids->empty());
  });
  if (!no_gids || !any_veth || others || paired) return;
  for (RdmaPort& port : snapshot.ports) {
    if (port.netdev.absent().why == Why::NotRecorded)
      port.netdev = Absent{Why::OtherNamespace, "show_gids found no GID, and the netdev here is a veth"};
  }
}

/// The port that logs speak of where nothing else does.
bool find_port_in_logs(Snapshot& snapshot, const std::string& said, std::vector<std::string>& assumptions) {
  const NamesInLogs names = names_in_logs(snapshot.log);
  if (names.device.empty() && names.netdev.empty()) return false;
  RdmaPort port;
  port.device = !said.empty() ? said : !names.device.empty() ? names.device : kNamelessDevice;
  // A device and a netdev of several lines may be two NICs'.
  const bool pairs = port.device == kNamelessDevice && !names.netdev.empty();
  port.netdev = pairs ? names.netdev : std::string(kNamelessNetdev);
  if (pairs && !names.function.empty()) port.pci_address = names.function;
  assume(assumptions, "no file but logs speaks of a port: one port is assumed, of RDMA device " + port.device +
                          " and netdev " + *port.netdev + " (rdma link would say)");
  snapshot.ports.push_back(std::move(port));
  return true;
}

/// Ports of the files: of RDMA devices, else of netdevs that may carry RDMA, else one that stands for the node. `said`
/// is the device that the person named, "" for none.
void find_ports(Snapshot& snapshot, const Draft& draft, const std::string& said,
                std::vector<std::string>& assumptions) {
  for (RdmaPort& port : snapshot.ports) {
    const std::string own = nameless_netdev_of(port.device);
    if (!port.netdev && snapshot.netdev(own) != nullptr) port.netdev = own;
  }
  std::vector<std::string> single;
  for (const Netdev& netdev : snapshot.netdevs) {
    if (may_carry_rdma(netdev, draft) && !is_paired(snapshot, netdev.link.name)) single.push_back(netdev.link.name);
  }
  std::vector<RdmaPort*> lonely;
  for (RdmaPort& port : snapshot.ports) {
    if (!port.netdev && port.netdev.absent().why == Why::NotRecorded) lonely.push_back(&port);
  }
  if (single.empty()) {
    const Netdev* nameless = snapshot.netdev(kNamelessNetdev);
    const bool takes_nameless = snapshot.ports.size() == 1 && (nameless == nullptr || !is_veth(*nameless));
    for (RdmaPort* port : lonely) port->netdev = takes_nameless ? kNamelessNetdev : nameless_netdev_of(port->device);
  }
  if (single.size() == 1 && lonely.size() == 1) {
    lonely[0]->netdev = single[0];
    if (lonely[0]->device != kNamelessDevice || single[0] != kNamelessNetdev)
      assume(assumptions, "netdev " + single[0] + " is taken as that of RDMA device " + lonely[0]->device +
                              ": no file pairs them (rdma link would)");
    return;
  }
  if (!snapshot.ports.empty()) return;
  if (single.empty() && !is_of_switches(snapshot)) single = netdevs_asked_for(snapshot);
  for (const std::string& name : single) {
    RdmaPort port;
    port.device = single.size() > 1 ? std::string(kNamelessDevice) + "-" + name : said.empty() ? kNamelessDevice : said;
    port.netdev = name;
    snapshot.ports.push_back(std::move(port));
    assume(assumptions, "no file names the RDMA device of netdev " + name + ": it is " +
                            (said.empty() || single.size() > 1 ? "called " : "taken as ") +
                            snapshot.ports.back().device);
  }
  if (!snapshot.ports.empty()) return;
  if (said.empty() && is_of_switches(snapshot))
    return assume(assumptions, "the files are of a switch: there is no port of a node to judge");
  if (find_port_in_logs(snapshot, said, assumptions)) return;
  RdmaPort port;
  port.device = said.empty() ? kNamelessDevice : said;
  port.netdev = std::string(kNamelessNetdev);
  snapshot.ports.push_back(std::move(port));
  assume(assumptions, "no file speaks of a port: one port is assumed, here called " + snapshot.ports.back().device);
}

void settle_driver(Snapshot& snapshot, RdmaPort& port, const Draft& draft, std::vector<std::string>& assumptions) {
  Netdev* netdev = port.netdev ? netdev_named(snapshot, *port.netdev) : nullptr;
  if (port.driver.empty()) port.driver = driver_of_device(port.device);
  const VendorTable* table = port.driver.empty() ? nullptr : vendor_of_rdma(port.driver);
  if (netdev != nullptr && netdev->ethtool.driver) {
    const VendorTable* by_netdev = vendor_of_netdev(netdev->ethtool.driver->driver);
    if (port.driver.empty() && by_netdev != nullptr && !by_netdev->rdma_drivers.empty())
      port.driver = by_netdev->rdma_drivers[0];
    return;
  }
  if (table == nullptr) table = table_by_names(draft, port, port.netdev.value_or(""));
  if (table == nullptr) return;
  if (port.driver.empty() && !table->rdma_drivers.empty()) port.driver = table->rdma_drivers[0];
  if (netdev == nullptr || table->netdev_drivers.empty()) return;
  netdev->ethtool.driver = DriverInfo{std::string(table->netdev_drivers[0]), "", "", ""};
  assume(assumptions, "the driver of netdev " + netdev->link.name + " is taken as " +
                          std::string(table->netdev_drivers[0]) + ", by the names of its device and counters");
}

void settle_members(Snapshot& snapshot, RdmaPort& port) {
  if (!port.netdev) return;
  const std::string& own = *port.netdev;
  std::set<std::string> below{own}, above;
  for (const Netdev& netdev : snapshot.netdevs) {
    if (netdev.link.master == own) below.insert(netdev.link.name);
  }
  const bool bonded = below.size() > 1;
  for (const std::string& name : below) {
    if (!bonded || name != own) port.members.push_back(name);
  }
  for (std::size_t round = 0; round < 4; ++round) {
    for (const Netdev& netdev : snapshot.netdevs) {
      const bool on_us = below.contains(netdev.link.lower) || above.contains(netdev.link.lower);
      if (on_us && netdev.link.name != own) above.insert(netdev.link.name);
      if ((below.contains(netdev.link.name) || above.contains(netdev.link.name)) && !netdev.link.master.empty())
        above.insert(netdev.link.master);
    }
  }
  port.uppers.assign(above.begin(), above.end());
}

/// The PCI function: by the netdev, else the only one that the files describe.
void settle_function(Snapshot& snapshot, RdmaPort& port, std::vector<std::string>& assumptions) {
  Netdev* netdev = port.netdev ? netdev_named(snapshot, *port.netdev) : nullptr;
  if (!port.pci_address && netdev != nullptr && netdev->link.parent_device)
    port.pci_address = *netdev->link.parent_device;
  if (!port.pci_address && snapshot.ports.size() == 1 && snapshot.pci.size() == 1) {
    port.pci_address = snapshot.pci[0].address;
    assume(assumptions, "the only PCI function that a file describes, " + *port.pci_address + ", is taken as that of " +
                            port.device + ": no file pairs them (ethtool -i would)");
  }
  if (!port.pci_address) return;
  if (netdev != nullptr && !netdev->link.parent_device) netdev->link.parent_device = *port.pci_address;
}

bool is_routable(const Snapshot& snapshot, const std::string& name) {
  const Netdev* netdev = snapshot.netdev(name);
  return netdev != nullptr && std::any_of(netdev->link.addresses.begin(), netdev->link.addresses.end(),
                                          [](const IpAddress& address) { return address.is_routable(); });
}

/// The kernel makes RoCE GIDs of the addresses of netdevs: where no output lists routable ones of a netdev, as where a
/// list was filtered, the GIDs tell them.
void addresses_from_gids(Snapshot& snapshot) {
  std::set<std::string> listed;
  for (const Netdev& netdev : snapshot.netdevs) {
    const std::vector<IpAddress>& addresses = netdev.link.addresses;
    if (std::any_of(addresses.begin(), addresses.end(), [](const IpAddress& one) { return one.is_routable(); }))
      listed.insert(netdev.link.name);
  }
  for (const RdmaPort& port : snapshot.ports) {
    if (!port.gids || !port.netdev) continue;
    for (const GidEntry& gid : *port.gids) {
      const IpAddress address = address_of_gid(gid.gid);
      const std::string name = gid.netdev.value_or(*port.netdev);
      if (!address.is_routable() || listed.contains(name) || netdev_with(snapshot, address.address) != nullptr)
        continue;
      const bool told = netdev_named(snapshot, name) != nullptr;
      Netdev& netdev = netdev_for(snapshot, name);
      if (!told) netdev.link.lower = *port.netdev;  // what has a GID of the port is its netdev or stands on it
      netdev.link.addresses.push_back(address);
    }
  }
}

/// With the IOMMU switched off on the kernel's command line no function is in a group that could have a type.
void settle_iommu(Snapshot& snapshot) {
  const std::string line = snapshot.host.kernel_command_line.value_or("");
  const std::string vendor = snapshot.host.cpu_vendor.value_or("");
  for (const std::string_view word : words_of(line)) {
    const bool off = word == "iommu=off" || (word == "intel_iommu=off" && vendor == "GenuineIntel") ||
                     (word == "amd_iommu=off" && vendor == "AuthenticAMD");
    if (!off) continue;
    for (PciFunction& function : snapshot.pci) {
      Reading<std::string>& type = function.iommu_group_type;
      if (!type && type.absent().why == Why::NotRecorded)
        type = Absent{Why::NotPresent, "the kernel's command line says " + std::string(word)};
    }
  }
}

bool has_routable_gid(const RdmaPort& port) {
  return port.gids && std::any_of(port.gids->begin(), port.gids->end(),
                                  [](const GidEntry& entry) { return address_of_gid(entry.gid).is_routable(); });
}

/// Whether the files show a routable address of a port: of its netdev, of what stands on that, or in its GID table.
bool is_used(const Snapshot& snapshot, const RdmaPort& port) {
  std::vector<std::string> names = port.uppers;
  names.insert(names.end(), port.members.begin(), port.members.end());
  const std::string own = port.netdev.value_or("");
  for (const Netdev& netdev : snapshot.netdevs) {
    const std::string& name = netdev.link.name;
    if (!own.empty() && (name == own || name.starts_with(own + "."))) names.push_back(name);
  }
  return has_routable_gid(port) ||
         std::any_of(names.begin(), names.end(), [&](const std::string& name) { return is_routable(snapshot, name); });
}

bool is_down(const NetLink& link, const RdmaPort& port) {
  const std::string state = link.oper_state.value_or("");
  return !link.carrier.value_or(true) || !link.admin_up.value_or(true) || state == "down" ||
         state == "lowerlayerdown" || port.state.value_or("") == "DOWN";
}

/// Whether a netdev may be a member of a bond that has the addresses: its own line, which names the master, is missing.
bool may_have_master(const Snapshot& snapshot, const NetLink& link) {
  if (link.admin_up) return !link.master.empty();
  return std::any_of(snapshot.netdevs.begin(), snapshot.netdevs.end(), [](const Netdev& netdev) {
    return !netdev.link.kind.empty() || netdev.link.name.starts_with("bond") || netdev.link.name.starts_with("team");
  });
}

/// Whether the files show that a port has no routable address, and not only that a line may be missing. A whole GID
/// table, which the kernel makes of the addresses, has none either; where there is no such table, the link is down.
bool is_unused(const Snapshot& snapshot, const RdmaPort& port, const Draft& draft) {
  const Netdev* own = port.netdev ? snapshot.netdev(*port.netdev) : nullptr;
  if (own == nullptr || is_used(snapshot, port)) return false;
  if (!port.gids)
    return is_down(own->link, port) && !may_have_master(snapshot, own->link) &&
           draft.lists_all_addresses_of(own->link, true);
  if (draft.lists_all_addresses_of(own->link, false)) return true;
  // A list of all IPv4 addresses without one of it says the same: IPv6 ones would stand in the GID table.
  if (draft.lists_all_ipv4() && !port.gids->empty() && !may_have_master(snapshot, own->link)) return true;
  std::vector<std::string> names = port.uppers;
  names.insert(names.end(), port.members.begin(), port.members.end());
  names.push_back(*port.netdev);
  return !port.gids->empty() && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const Netdev* netdev = snapshot.netdev(name);
    return netdev != nullptr && !netdev->link.addresses.empty();
  });
}

/// A carrier that no output of rtnetlink tells: there is none where the driver or the bond says so, or of a netdev that
/// is used the RDMA port or ibdev2netdev's word.
void settle_carrier(const Snapshot& snapshot, const RdmaPort& port, Netdev& netdev, Draft& draft) {
  NetLink& link = netdev.link;
  const auto not_recorded = [](const auto& reading) { return !reading && reading.absent().why == Why::NotRecorded; };
  if (!not_recorded(link.carrier) || link.oper_state.value_or("down") == "up") return;
  if (!link.oper_state && !not_recorded(link.oper_state)) return;
  // Of a port that no file names it is not known that anybody misses its link: the netdev may be the management's.
  if (port.device.starts_with(kNamelessDevice)) return;
  // A port of one netdev that is active has a link, whatever another moment's output says.
  const bool alone = port.members.size() <= 1, active = alone && port.state.value_or("") == "ACTIVE";
  const bool by_driver = !active && netdev.ethtool.link_state && !netdev.ethtool.link_state->link.value_or(true);
  const bool by_bond = !active && link.bond_member && !link.bond_member->mii_up;
  const bool by_port = alone && port.state.value_or("") == "DOWN" && is_used(snapshot, port);
  const bool by_word = !active && link.oper_state.value_or("") == "down" && !link.admin_up && is_used(snapshot, port);
  if (!by_driver && !by_bond && !by_port && !by_word) return;
  link.carrier = false;
  const std::string source = "rtnetlink " + link.name;
  if (!draft.place_of(source).empty()) return;
  std::string place;
  if (by_driver) place = draft.place_of_name("ethtool " + link.name, "extended link state");  // "Link detected: no"
  if (place.empty())
    place = draft.place_of(by_driver ? "ethtool " + link.name
                           : by_bond ? "rtnetlink " + link.master
                                     : "RDMA port " + port_name(port));
  if (!place.empty()) draft.cite_place(source, "", place);
}

/// Of several NICs nicctl names the PCI functions alone: each is the netdev's of that function. ethtool's own word on
/// the link stays.
void settle_link_of_function(Netdev& netdev, Draft& draft) {
  if (!netdev.link.parent_device || netdev.ethtool.link_state) return;
  const auto at = draft.links_of_functions().find(*netdev.link.parent_device);
  if (at == draft.links_of_functions().end()) return;
  if (take_nicctl_link(at->second.up, at->second.phase, netdev.ethtool))
    draft.cite_place("ethtool " + netdev.link.name, "", at->second.place);
}

/// ibdev2netdev and `ip -br` call a netdev down that nobody plugged in as well, and so do ibv_devinfo and ibstat an
/// RDMA port. Without the netdev's flags that is no fault before some file shows that it is used.
void forget_idle_state(const Snapshot& snapshot, const RdmaPort& port, NetLink& link) {
  const bool port_alone = !link.oper_state && link.oper_state.absent().why == Why::NotRecorded && !link.carrier &&
                          port.members.size() <= 1 && port.state.value_or("") == "DOWN";
  if (port_alone && !is_used(snapshot, port))
    link.oper_state =
        Absent{Why::NotRecorded, "a file calls RDMA port " + port_name(port) + " DOWN; whether anybody uses it, " +
                                     reason_with_command("ip addr show dev " + link.name)};
  const bool word_alone = link.oper_state.value_or("") == "down" && !link.carrier && !link.admin_up;
  if (!word_alone) return;
  const bool active = port.members.size() <= 1 && port.state.value_or("") == "ACTIVE";
  if (active)
    link.oper_state = Absent{Why::NotRecorded, "a file calls " + link.name + " down and its RDMA port ACTIVE; of now " +
                                                   reason_with_command("ip -d link show dev " + link.name)};
  else if (!is_used(snapshot, port))
    link.oper_state = Absent{Why::NotRecorded, "a file calls " + link.name + " down; whether anybody uses it, " +
                                                   reason_with_command("ip addr show dev " + link.name)};
}

/// As on the node (product.md 1); what the files do not say keeps a port in scope.
std::string why_not_in_scope(const Snapshot& snapshot, const RdmaPort& port, const Draft& draft) {
  if (port.function == FunctionKind::Virtual) return "a virtual function";
  if (!port.netdev && port.netdev.absent().why == Why::OtherNamespace)
    return "its netdev is in another network namespace, or it has none";
  if (port.link_layer && *port.link_layer != "Ethernet") return "link layer is " + *port.link_layer;
  return is_unused(snapshot, port, draft)
             ? "unused: no routable address on its netdev, an upper of it or in its GID table"
             : "";
}

/// Congestion control is set in files of the drivers. A driver that lacks them and files that nobody printed look
/// alike: what no output lists is not recorded. A directory that an output tells to be missing or refused stays so.
void settle_vendor_files(Netdev* netdev, RdmaPort& port) {
  const std::string of_netdev = netdev != nullptr && netdev->ethtool.driver ? netdev->ethtool.driver->driver : "";
  const auto unlisted = [](auto& files, const char* directory, const std::string& path) {
    files.try_emplace(directory, Absent{Why::NotRecorded, reason_with_command("grep -r . " + path)});
  };
  const std::string pci = port.pci_address.value_or("PCI");
  const bool any_driver = port.driver.empty();
  if (netdev != nullptr && (of_netdev.starts_with("mlx5") || (any_driver && of_netdev.empty())))
    unlisted(netdev->vendor_files, "ecn", "/sys/class/net/" + netdev->link.name + "/ecn");
  if (any_driver || port.driver == "mlx5_ib")
    unlisted(port.vendor_files, "cc_params", "/sys/kernel/debug/mlx5/" + pci + "/cc_params");
  if (any_driver || port.driver == "bnxt_re")
    unlisted(port.vendor_files, "cc_config", "/sys/kernel/debug/bnxt_re/" + pci + "/cc_config");
  if (any_driver || port.driver == "irdma")
    unlisted(port.vendor_files, "irdma", "/sys/kernel/config/irdma/" + port.device);
}

void settle_qos(Netdev& netdev) {
  const VendorTable* table = netdev.ethtool.driver ? vendor_of_netdev(netdev.ethtool.driver->driver) : nullptr;
  DcbFacts& dcb = netdev.dcb;
  settle_hidden(table, dcb);
  // An APP table that no file shows is not an empty one.
  if (!dcb.trust && dcb.app) dcb.trust = derive_trust(dcb.trust, table, dcb);
  if (dcb.trust && !dcb.dscp_to_priority && dcb.app) dcb.dscp_to_priority = derive_dscp_map(dcb.trust, table, dcb.app);
}

}  // namespace

/// Where the devices are to which links of sysfs lead. The only one of them is a port where no output names any.
void place_devices(Draft& draft) {
  const auto& functions = draft.functions_of_devices();
  if (functions.size() == 1 && draft.snapshot().ports.empty())
    static_cast<void>(named_port(draft, functions.begin()->first, 1));
  for (RdmaPort& port : draft.snapshot().ports)
    if (const auto at = functions.find(port.device); at != functions.end()) port.pci_address = at->second;
}

Snapshot settled(Draft& draft, const Moment& moment, const std::string& host, const std::string& device,
                 std::vector<std::string>& assumptions) {
  place_devices(draft);
  Snapshot out = draft.snapshot();
  settle_limits(out);
  complete_gid_tables(out, draft);
  for (const LogFact& fact : out.log) {
    if (fact.kind != "no_gids") continue;
    for (const RdmaPort& port : out.ports) {
      if (fact.subject.empty() || fact.subject == port.device)
        draft.cite_place("GID table of " + port_name(port), "", fact.place);
    }
  }
  out.before = out.after = moment.at;
  if (!host.empty() && !out.node.hostname) out.node.hostname = host;
  netdevs_from_gids(out, assumptions);
  netdevs_elsewhere(out);
  join_ports_of_functions(out);
  const bool named = !out.ports.empty();
  if (!find_nics_without_rdma(out, draft, assumptions)) find_ports(out, draft, device, assumptions);
  // That verbs do not work is a fault where there are ports to use; of an assumed one nobody knows.
  if (!named && out.host.user_verbs)
    out.host.user_verbs = Absent{Why::NotRecorded, "which RDMA ports there are, " + reason_with_command("rdma link")};
  for (const RdmaPort& port : out.ports)
    if (port.netdev) netdev_for(out, *port.netdev);
  addresses_from_gids(out);
  settle_iommu(out);
  for (RdmaPort& port : out.ports) {
    settle_driver(out, port, draft, assumptions);
    settle_members(out, port);
    settle_function(out, port, assumptions);
    if (draft.virtual_functions().contains(port.pci_address.value_or(""))) port.function = FunctionKind::Virtual;
    const std::string& address = port.pci_address.value_or("");
    port.key = (address.empty() ? port.device : address) + "/" + std::to_string(port.port);
    for (const std::string& member : port.members)
      if (Netdev* netdev = netdev_named(out, member)) {
        settle_link_of_function(*netdev, draft);
        settle_carrier(out, port, *netdev, draft);
      }
    port.why_not = why_not_in_scope(out, port, draft);
    port.in_scope = port.why_not.empty();
    for (const std::string& member : port.members)
      if (Netdev* netdev = netdev_named(out, member)) forget_idle_state(out, port, netdev->link);
    if (port.members.empty()) settle_vendor_files(nullptr, port);
    for (const std::string& member : port.members) settle_vendor_files(netdev_named(out, member), port);
  }
  for (Netdev& netdev : out.netdevs) settle_qos(netdev);
  settle_counters(draft, out, moment.at);
  name_commands(out);
  return out;
}

}  // namespace roceready::evidence

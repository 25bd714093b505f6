// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "collectors/collector.h"
#include "collectors/link_topology.h"
#include "collectors/pci_parse.h"
#include "collectors/rdma_devices.h"
#include "collectors/scope.h"

namespace roceready {
namespace {

constexpr std::size_t kMostUsedPorts = 512;  // far more than a node lists

std::string ports_path(const RdmaPort& port) {
  return std::string(kInfiniBandClass) + "/" + port.device + "/ports/" + std::to_string(port.port) + "/";
}

bool asks_only_link(const RdmaPort& port, const Selection& selection) {
  const bool plain = port.function == FunctionKind::Physical || port.function == FunctionKind::Software;
  return !plain && !selection.names(port.device, port.port, "");
}

/// Port number N is the netdev of the PCI function whose dev_port is N - 1; one netdev alone is it.
Reading<std::string> netdev_from_sysfs(Host& host, const RdmaPort& port) {
  const std::string device = std::string(kInfiniBandClass) + "/" + port.device;
  if (port.function == FunctionKind::Software) {
    Reading<std::string> parent = read_text(host.files, device + "/parent");
    if (parent && parent->empty()) return Absent{Why::Malformed, "the device names no parent"};
    return parent;
  }
  const auto names = host.files.list(device + "/device/net");
  if (!names) return names.error();
  if (names->size() == 1) return names->front();
  for (const std::string& name : *names) {
    const auto number = read_u32(host.files, "/sys/class/net/" + name + "/dev_port");
    if (number && *number + 1 == port.port) return name;
  }
  return Absent{Why::NotPresent, "no netdev of the function belongs to this port"};
}

void read_state(Host& host, RdmaPort& port, const Selection& selection) {
  const auto answer = host.rdma.port(port.device, port.port);
  auto state = answer ? parse_rdma_port(*answer) : Result<RdmaPortState>(answer.error());
  if (state) {
    port.state = std::move(state->state);
    port.physical_state = std::move(state->physical_state);
    port.netdev = std::move(state->netdev);
    if (!port.netdev->empty()) return;
    port.netdev =
        Absent{Why::OtherNamespace, "the kernel names no netdev: it is in another network namespace, or there is none"};
    if (asks_only_link(port, selection) || port.protocol.value_or("") == "ib") return;
    // sysfs shows the function's netdevs of this namespace alone, so one that stands there is the port's.
    if (auto by_function = netdev_from_sysfs(host, port)) port.netdev = std::move(by_function);
    return;
  }
  const auto from_file = [&](const char* file) -> Reading<std::string> {
    const auto text = host.files.read(ports_path(port) + file);
    if (!text) return text.error();
    // "4: ACTIVE"; anything else is no state, and no state is not a port that is down.
    const std::string word = word_behind_number(*text);
    const bool sound = text->find(':') != std::string::npos && !word.empty();
    return sound ? Reading<std::string>(word)
                 : Absent{Why::Malformed, std::string(file) + " of the port makes no sense"};
  };
  port.state = from_file("state");
  port.physical_state = from_file("phys_state");
  if (asks_only_link(port, selection)) {
    port.netdev = state.error();
  } else {
    port.netdev = netdev_from_sysfs(host, port);
  }
}

/// The link layer hardly changes; RDMA netlink's protocol says it for a device with one port.
void read_link_layer(Host& host, const Context& context, const RdmaDevice& device, RdmaPort& port, bool only_link) {
  const bool by_protocol =
      device.ports == 1 && device.protocol && (*device.protocol == "roce" || *device.protocol == "iw");
  if (by_protocol) {
    port.link_layer = std::string("Ethernet");
  } else if (only_link) {
    port.link_layer = Absent{Why::Filtered, "not asked of this kind of function"};
  } else if (context.configuration_due || !port.link_layer) {
    port.link_layer = read_text(host.files, ports_path(port) + "link_layer");
  }
}

/// Under RoCE LAG some kernels name one member as the port's netdev. It is LAG where another member of the same bond
/// sits on a sibling function that has no RDMA device of its own.
bool is_lag_member(Host& host, const Context& context, const Selection& selection, const NetLink& link) {
  const NetLink* master = link.master.empty() ? nullptr : context.link(link.master);
  if (master == nullptr || master->kind != "bond" || !link.parent_device) return false;
  return std::any_of(context.links.begin(), context.links.end(), [&](const NetLink& other) {
    if (other.master != link.master || other.name == link.name || !other.parent_device) return false;
    if (selection.excludes_netdev(other.name) || !same_pci_slot(*link.parent_device, *other.parent_device))
      return false;
    const auto rdma = host.files.list(kPciDevices + *other.parent_device + "/infiniband");
    return !rdma && rdma.error().code == ErrorCode::NotFound;
  });
}

void read_netdevs(Host& host, const Context& context, const Selection& selection, RdmaPort& port) {
  port.members.clear();
  port.uppers.clear();
  if (!port.netdev || port.netdev->empty()) return;
  const NetLink* link = context.link(*port.netdev);
  if (link != nullptr && port.function == FunctionKind::Physical && link->phys_port_name &&
      is_representor_name(*link->phys_port_name)) {
    port.function = FunctionKind::Representor;
  }
  if (link != nullptr && port.function == FunctionKind::Physical && is_lag_member(host, context, selection, *link)) {
    port.netdev = link->master;
  }
  port.members = members_below(context, *port.netdev);
  std::erase_if(port.members, [&](const std::string& name) { return selection.excludes_netdev(name); });
  std::vector<std::string> below = port.members;
  below.push_back(*port.netdev);
  port.uppers = uppers_above(context, below);
  if (std::find(port.members.begin(), port.members.end(), *port.netdev) == port.members.end()) {
    port.uppers.insert(port.uppers.begin(), *port.netdev);  // the bond itself
  }
  std::erase_if(port.uppers, [&](const std::string& name) { return selection.excludes_netdev(name); });
}

/// What was asked of the port before, without what this collector asks anew.
RdmaPort start_port(const Snapshot& earlier, const std::string& device, std::uint32_t number) {
  for (const RdmaPort& port : earlier.ports) {
    if (port.device == device && port.port == number) return port;
  }
  RdmaPort fresh;
  fresh.device = device;
  fresh.port = number;
  return fresh;
}

/// Everything else is not asked of a port that is out of scope.
void forget_rest(RdmaPort& port) {
  const Absent filtered{Why::Filtered, "not asked: " + port.why_not};
  port.active_mtu = port.max_mtu = port.cma_default_tos = port.forced_traffic_class = filtered;
  port.gids = filtered;
  port.cma_default_mode = filtered;
  port.hw_counters = port.port_counters = filtered;
  port.counters = {};
  port.counters.why_absent = filtered;
  port.vendor_files.clear();
}

/// A function that is asked for its link alone has its driver looked up only when the user brought it into scope.
std::string driver_of(Host& host, DevicePlace place, const RdmaDevice& device, bool in_scope) {
  if (in_scope && place.pci_driver.empty() && !place.pci_address.empty()) {
    const auto driver = host.files.read_link(kPciDevices + place.pci_address + "/driver");
    if (driver) place.pci_driver = base_name(*driver);
  }
  return rdma_driver_name(place, device);
}

/// Nothing where the user excluded the port or its netdev.
std::optional<RdmaPort> build_port(Host& host, const Selection& selection, Context& context, const Snapshot& earlier,
                                   const RdmaDevice& device, std::uint32_t number) {
  const std::string name = device.name + "/" + std::to_string(number);
  if (selection.excludes_port(device.name, number) || context.excluded_by_netdev.contains(name)) return std::nullopt;
  const DevicePlace& place = place_of_device(host, context, device.name);
  RdmaPort port = start_port(earlier, device.name, number);
  port.function = place.function;
  port.key = (place.pci_address.empty() ? device.name : place.pci_address) + "/" + std::to_string(number);
  port.firmware = device.firmware;
  port.protocol = device.protocol;
  port.pci_address = place.pci_address.empty() ? Reading<std::string>(place.why_unplaced) : place.pci_address;
  read_state(host, port, selection);
  if (port.netdev && selection.excludes_netdev(*port.netdev)) {
    context.excluded_by_netdev.insert(name);  // asked once, to learn whose it is; not touched again
    context.used_ports.erase(port.key);
    return std::nullopt;
  }
  read_link_layer(host, context, device, port, asks_only_link(port, selection));
  read_netdevs(host, context, selection, port);
  if (has_routable_address(port, context)) context.used_ports.insert(port.key);
  port.why_not = why_out_of_scope(port, selection, context);
  port.in_scope = port.why_not.empty();
  port.driver = driver_of(host, place, device, port.in_scope);
  if (!port.in_scope) forget_rest(port);
  return port;
}

std::vector<RdmaPort> build_ports(Host& host, const Selection& selection, Context& context, const Snapshot& earlier,
                                  const std::vector<RdmaDevice>& devices) {
  std::vector<RdmaPort> out;
  std::uint32_t virtual_functions = 0, left_out = 0;
  std::optional<std::size_t> last_virtual;
  for (const RdmaDevice& device : devices) {
    const bool is_virtual = place_of_device(host, context, device.name).function == FunctionKind::Virtual;
    if (is_virtual && !selection.names(device.name, 1, "") && ++virtual_functions > selection.max_virtual_functions) {
      ++left_out;
      continue;
    }
    for (std::uint32_t number = 1; number <= device.ports; ++number) {
      auto port = build_port(host, selection, context, earlier, device, number);
      if (!port) continue;
      if (is_virtual) last_virtual = out.size();
      out.push_back(std::move(*port));
    }
  }
  if (left_out > 0 && last_virtual) {
    out[*last_virtual].why_not +=
        "; " + std::to_string(left_out) + " more are not listed (ports.max_virtual_functions)";
  }
  return out;
}

/// A netdev of which only the link is known.
Netdev bare_netdev(const Absent& why) {
  Netdev netdev;
  const auto miss = [&](const char*, auto& reading) { reading = why; };
  EthtoolFacts::each_field(miss, netdev.ethtool);
  DcbFacts::each_field(miss, netdev.dcb);
  netdev.counters.why_absent = why;
  return netdev;
}

/// Where RDMA ports of Ethernet are visible and the netdevs of all ports are in other network namespaces, as in a pod:
/// what this one has instead, by its routable addresses. At most kMost are listed.
std::vector<std::string> netdevs_instead(const Context& context, const Selection& selection,
                                         const std::vector<RdmaPort>& ports) {
  constexpr std::size_t kMost = 16;
  const auto here = [](const RdmaPort& port) { return port.netdev || port.netdev.absent().why != Why::OtherNamespace; };
  const auto ethernet = [](const RdmaPort& port) { return port.link_layer.value_or("") == "Ethernet"; };
  std::vector<std::string> out;
  if (std::none_of(ports.begin(), ports.end(), ethernet) || std::any_of(ports.begin(), ports.end(), here)) return out;
  for (const NetLink& link : context.links) {
    const bool routable = std::any_of(link.addresses.begin(), link.addresses.end(),
                                      [](const IpAddress& address) { return address.is_routable(); });
    if (routable && out.size() < kMost && !selection.excludes_netdev(link.name)) out.push_back(link.name);
  }
  return out;
}

/// Netdevs of all ports: members of ports in scope keep what was asked before, of the others, and of `instead`, the
/// link alone is shown.
std::vector<Netdev> build_netdevs(Context& context, const Snapshot& earlier, const std::vector<RdmaPort>& ports,
                                  const std::vector<std::string>& instead) {
  std::map<std::string, bool> wanted;  // name → everything is asked
  for (const std::string& name : instead) wanted[name];
  for (const RdmaPort& port : ports) {
    for (const std::string& name : port.uppers) wanted[name];
    if (port.netdev) wanted[*port.netdev];
    for (const std::string& name : port.members) wanted[name] = wanted[name] || port.in_scope;
  }
  const std::set<std::string> asked = std::exchange(context.members, {});
  std::vector<Netdev> out;
  for (const auto& [name, everything] : wanted) {
    const Netdev* before = asked.contains(name) ? earlier.netdev(name) : nullptr;
    Netdev netdev = everything ? (before != nullptr ? *before : Netdev()) : bare_netdev({Why::NotPresent, "link only"});
    const NetLink* link = context.link(name);
    netdev.link = link != nullptr ? *link : NetLink();
    netdev.link.name = name;
    if (everything) context.members.insert(name);
    out.push_back(std::move(netdev));
  }
  return out;
}

/// Addresses, MTU or carrier; they decide the GID table and the active MTU.
bool same_addressing(const NetLink& a, const NetLink& b) {
  return a.addresses == b.addresses && a.mtu == b.mtu && a.carrier == b.carrier;
}

/// Ports in scope of which a netdev, below or above, differs from the sample before, and once more those that differed
/// there: the kernel brings the GID table up to date from a work queue, a moment after the address.
std::set<std::string> moved_ports(Context& context, const Snapshot& earlier, const std::vector<RdmaPort>& ports) {
  const auto differs = [&](const std::string& name) {
    const NetLink* link = context.link(name);
    const Netdev* before = earlier.netdev(name);
    return link != nullptr && before != nullptr && !same_addressing(before->link, *link);
  };
  const auto any_differs = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), differs);
  };
  const bool readable = context.links_read && context.addresses_read;
  const std::set<std::string> settling = std::exchange(context.settling_ports, {});
  std::set<std::string> out;
  for (const RdmaPort& port : ports) {
    if (!port.in_scope) continue;
    const std::string name = port_name(port);
    if (readable && ((port.netdev && differs(*port.netdev)) || any_differs(port.members) || any_differs(port.uppers))) {
      context.settling_ports.insert(name);
      out.insert(name);
    }
    if (settling.contains(name)) out.insert(name);
  }
  return out;
}

/// A PCI function is the same when its driver is loaded again. Software RDMA has no more than a name, which the next
/// device may bear.
void forget_gone_ports(Context& context, const std::vector<RdmaPort>& ports) {
  const bool too_many = context.used_ports.size() > kMostUsedPorts;
  std::erase_if(context.used_ports, [&](const std::string& key) {
    const bool listed = std::any_of(ports.begin(), ports.end(), [&](const RdmaPort& port) { return port.key == key; });
    return !listed && (too_many || !is_pci_address(std::string_view(key).substr(0, key.rfind('/'))));
  });
}

/// All plans and sets of names, but for the time at which statistics may be read again: a topology that changes each
/// second is no reason to hold the RTNL lock more often.
void forget_names(Context& context) {
  context.plans.clear();
  std::erase_if(context.names, [&](const auto& entry) { return entry.second.due_ns <= context.now.monotonic_ns; });
  for (auto& [question, names] : context.names) names.stale = true;
}

bool same_topology(const Snapshot& earlier, const std::vector<RdmaPort>& ports, const std::vector<Netdev>& netdevs) {
  const auto same_port = [](const RdmaPort& a, const RdmaPort& b) {
    return a.device == b.device && a.port == b.port && a.in_scope == b.in_scope && a.members == b.members &&
           a.uppers == b.uppers && a.key == b.key;
  };
  const auto same_netdev = [](const Netdev& a, const Netdev& b) {
    return a.link.name == b.link.name && a.link.index == b.link.index;
  };
  return std::equal(earlier.ports.begin(), earlier.ports.end(), ports.begin(), ports.end(), same_port) &&
         std::equal(earlier.netdevs.begin(), earlier.netdevs.end(), netdevs.begin(), netdevs.end(), same_netdev);
}

std::vector<std::string> missing(const Selection& selection, const std::vector<RdmaPort>& ports) {
  std::vector<std::string> out;
  for (const std::string& pattern : selection.expected) {
    const bool answered = std::any_of(ports.begin(), ports.end(), [&](const RdmaPort& port) {
      return pattern_means(pattern, port.device, port.port, port.netdev.value_or(""), port.pci_address.value_or("")) ||
             std::any_of(port.members.begin(), port.members.end(),
                         [&](const std::string& member) { return pattern_means(pattern, "", 0, member); });
    });
    if (!answered) out.push_back(pattern);
  }
  return out;
}

Result<void> collect(Host& host, const Selection& selection, Context& context, Snapshot& out) {
  const auto devices = list_rdma_devices(host, selection);
  std::vector<RdmaPort> ports =
      build_ports(host, selection, context, out, devices ? *devices : std::vector<RdmaDevice>());
  std::vector<Netdev> netdevs = build_netdevs(context, out, ports, netdevs_instead(context, selection, ports));
  context.topology_changed = !same_topology(out, ports, netdevs);
  if (context.topology_changed) forget_names(context);
  if (devices) forget_gone_ports(context, ports);
  context.moved_ports = moved_ports(context, out, ports);
  if (devices) {
    std::erase_if(context.excluded_by_netdev, [&](const std::string& name) {
      return std::none_of(devices->begin(), devices->end(),
                          [&](const RdmaDevice& device) { return name.starts_with(device.name + "/"); });
    });
  }
  std::erase_if(context.places, [&](const auto& place) {
    return !devices || std::none_of(devices->begin(), devices->end(),
                                    [&](const RdmaDevice& device) { return device.name == place.first; });
  });
  out.ports = std::move(ports);
  out.netdevs = std::move(netdevs);
  out.expected_missing = missing(selection, out.ports);
  return devices ? Result<void>() : Result<void>(devices.error());
}

}  // namespace

extern const Collector kRdmaPorts;
constinit const Collector kRdmaPorts{"rdma_ports", Cadence::EverySample, false, collect};

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/digest.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace roceready {
namespace {

constexpr std::uint32_t kDscps = 64, kDscpsOfPriority = 8;

/// "10.0.0.1" of "::ffff:10.0.0.1"; any other GID as it is.
std::string address_of(const std::string& gid) {
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = gid.starts_with(kMapped) && gid.find('.') != std::string::npos;
  return mapped ? gid.substr(kMapped.size()) : gid;
}

Reading<std::string> address_of(const Reading<std::vector<GidEntry>>& gids) {
  if (!gids) return gids.absent();
  for (const GidEntry& entry : *gids) {
    const IpAddress address{address_of(entry.gid), 0, false};
    if (entry.type == "RoCE v2" && address.is_routable()) return address.address;
  }
  return Absent{Why::NotPresent, "no RoCE v2 GID of a routable address"};
}

Reading<std::vector<std::string>> versions_of(const Reading<std::vector<GidEntry>>& gids) {
  if (!gids) return gids.absent();
  std::vector<std::string> out;
  for (const GidEntry& entry : *gids) out.push_back(entry.type);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

using DscpMap = std::map<std::string, std::uint32_t>;

/// Where the effective map is known, its entries that are not DSCP / 8: equal maps give equal digests, however they
/// were configured. Else the entries of the APP table, of which the highest for a DSCP holds.
Reading<DscpMap> map_of(const DcbFacts& dcb) {
  DscpMap out;
  if (dcb.dscp_to_priority) {
    const auto& map = *dcb.dscp_to_priority;
    for (std::uint32_t dscp = 0; dscp < kDscps && dscp < map.size(); ++dscp)
      if (map[dscp] != dscp / kDscpsOfPriority) out[std::to_string(dscp)] = map[dscp];
    return out;
  }
  if (!dcb.app) return dcb.dscp_to_priority.absent();
  for (const AppEntry& entry : *dcb.app) {
    if (entry.selector != kSelectorDscp || entry.protocol >= kDscps) continue;
    std::uint32_t& priority = out[std::to_string(entry.protocol)];
    priority = std::max(priority, entry.priority);
  }
  return out;
}

void add_netdev(const Netdev& netdev, PortDigest& out) {
  out.trust = netdev.dcb.trust;
  out.dscp_to_priority = map_of(netdev.dcb);
  out.pfc_mask = field(netdev.dcb.pfc, &PfcFacts::enabled);
  out.fec = field(netdev.ethtool.fec, &FecFacts::active);
  out.speed_bits_per_second = field(netdev.ethtool.link_modes, &LinkModes::speed_bits_per_second);
  // The RDMA device spells the same firmware otherwise (mlx5: without the board), or has another (irdma: its engine's).
  // A node that told now one, now the other would differ from its peers, and from itself a moment ago.
  if (!netdev.ethtool.driver) {
    out.firmware = netdev.ethtool.driver.absent();
  } else {
    out.driver = netdev.ethtool.driver->driver;
    if (!netdev.ethtool.driver->firmware.empty()) out.firmware = netdev.ethtool.driver->firmware;
  }
}

/// Of all members; absent where one does not count.
Reading<std::uint64_t> carrier_losses(const Snapshot& snapshot, const RdmaPort& port) {
  if (port.members.empty()) return Absent{Why::NotPresent, "the port's network device is not visible"};
  std::uint64_t sum = 0;
  for (const std::string& name : port.members) {
    const Netdev* member = snapshot.netdev(name);
    if (member == nullptr) return Absent{Why::NotPresent, "the network device " + name + " is not visible"};
    if (!member->link.carrier_down_count) return member->link.carrier_down_count.absent();
    sum += *member->link.carrier_down_count;
  }
  return sum;
}

}  // namespace

PortDigest digest_of(const Snapshot& snapshot, const RdmaPort& port) {
  const Absent no_netdev{Why::NotPresent, "the port's network device is not visible"};
  PortDigest out;
  out.device = port.device;
  out.port = port.port;
  out.address = address_of(port.gids);
  out.roce_versions = versions_of(port.gids);
  out.active_mtu = port.active_mtu;
  out.carrier_losses = carrier_losses(snapshot, port);
  out.firmware = port.firmware;
  out.driver = port.driver.empty() ? Reading<std::string>(no_netdev) : Reading<std::string>(port.driver);
  out.trust = out.fec = no_netdev;
  out.pfc_mask = out.mtu = no_netdev;
  out.dscp_to_priority = no_netdev;
  out.speed_bits_per_second = no_netdev;
  out.model = Absent{Why::NotPresent, "no PCI function"};
  const PciFunction* function = port.pci_address ? snapshot.function(*port.pci_address) : nullptr;
  if (function != nullptr) out.model = function->vendor_device;
  const Netdev* member = port.members.empty() ? nullptr : snapshot.netdev(port.members.front());
  if (member != nullptr)
    add_netdev(*member, out);
  else if (!port.members.empty())
    out.firmware = no_netdev;
  const Netdev* netdev = port.netdev ? snapshot.netdev(*port.netdev) : nullptr;
  if (netdev != nullptr) out.mtu = netdev->link.mtu;
  return out;
}

NodeDigest digest_of(const Snapshot& snapshot, const std::string& profile, const std::string& role) {
  NodeDigest out{profile, role, {}};
  for (const RdmaPort& port : snapshot.ports)
    if (port.in_scope) out.ports.push_back(digest_of(snapshot, port));
  return out;
}

}  // namespace roceready

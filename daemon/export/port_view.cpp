// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/port_view.h"

#include <algorithm>

#include "rules/usable_gid.h"

namespace roceready::daemon {
namespace {

const RdmaPort* find_port(const Snapshot& snapshot, const rules::PortReport& wanted) {
  for (const RdmaPort& port : snapshot.ports)
    if (port.device == wanted.device && port.port == wanted.port) return &port;
  return nullptr;
}

void read_gids(PortView& view) {
  if (!view.facts->gids) {
    view.gid_index = view.facts->gids.absent();
    return;
  }
  view.gid_index = Absent{Why::NotPresent, "no RoCE v2 GID with a routable address"};
  if (const GidEntry* gid = rules::usable_gid(*view.facts->gids)) view.gid_index = gid->index;
  for (const GidEntry& entry : *view.facts->gids) {
    const std::string version = entry.type == "RoCE v2" ? "v2" : "v1";
    if (entry.type.find("RoCE") != std::string::npos &&
        std::find(view.roce_versions.begin(), view.roce_versions.end(), version) == view.roce_versions.end())
      view.roce_versions.push_back(version);
  }
  std::sort(view.roce_versions.begin(), view.roce_versions.end());
}

void read_members(PortView& view, const Snapshot& snapshot) {
  for (const std::string& name : view.facts->members) {
    MemberView member;
    member.name = name;
    member.facts = snapshot.netdev(name);
    if (member.facts != nullptr) {
      const Netdev& netdev = *member.facts;
      if (netdev.link.parent_device) member.pci = snapshot.function(*netdev.link.parent_device);
      member.speed_bits_per_second = field(netdev.ethtool.link_modes, &LinkModes::speed_bits_per_second);
    }
    view.members.push_back(std::move(member));
  }
}

/// Driver of the netdev side where there is one ("mlx5_core"), else of the RDMA side.
void read_driver(PortView& view) {
  if (!view.facts->driver.empty()) view.driver = view.facts->driver;
  view.firmware = view.facts->firmware;
  for (const MemberView& member : view.members) {
    if (member.facts == nullptr || !member.facts->ethtool.driver) continue;
    const DriverInfo& info = *member.facts->ethtool.driver;
    if (!info.driver.empty()) view.driver = info.driver;
    if (!view.firmware && !info.firmware.empty()) view.firmware = info.firmware;
    return;
  }
}

void read_link(PortView& view, const Snapshot& snapshot) {
  if (view.facts->netdev) view.netdev = *view.facts->netdev;
  if (view.netdev.empty() && !view.members.empty()) view.netdev = view.members.front().name;
  if (const Netdev* own = snapshot.netdev(view.netdev)) view.mtu = own->link.mtu;
  std::uint64_t sum = 0;
  bool all_up = true;
  for (const MemberView& member : view.members) {
    if (member.facts == nullptr) return;
    if (!member.facts->link.carrier) {
      view.carrier = member.facts->link.carrier.absent();
      view.speed_bits_per_second = member.speed_bits_per_second;
      return;
    }
    all_up = all_up && *member.facts->link.carrier;
  }
  if (view.members.empty()) return;
  view.carrier = all_up;
  for (const MemberView& member : view.members) {
    if (!member.speed_bits_per_second) {
      view.speed_bits_per_second = member.speed_bits_per_second.absent();
      return;
    }
    sum += *member.speed_bits_per_second;
  }
  view.speed_bits_per_second = sum;
}

}  // namespace

std::string PortView::name() const {
  return judged->device.empty() ? judged->key : judged->device + "/" + std::to_string(judged->port);
}

std::vector<PortView> port_views(const rules::Report& report) {
  std::vector<PortView> out;
  for (const rules::PortReport& judged : report.ports) {
    PortView view;
    view.judged = &judged;
    if (report.snapshot) view.facts = find_port(*report.snapshot, judged);
    if (view.facts != nullptr) {
      if (view.facts->pci_address) view.pci = report.snapshot->function(*view.facts->pci_address);
      read_members(view, *report.snapshot);
      read_driver(view);
      read_link(view, *report.snapshot);
      read_gids(view);
    }
    out.push_back(std::move(view));
  }
  return out;
}

std::vector<std::uint8_t> priorities_of(std::uint32_t mask) {
  std::vector<std::uint8_t> out;
  for (std::uint8_t p = 0; p < kPriorities; ++p)
    if ((mask >> p & 1U) != 0) out.push_back(p);
  return out;
}

}  // namespace roceready::daemon

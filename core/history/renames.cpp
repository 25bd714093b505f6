// SPDX-License-Identifier: Apache-2.0
// What has another name in the newest sample keeps its past.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/history/history_impl.h"

namespace roceready {
namespace {

/// Netdevs whose number has another name now: what they are called, by the name before.
std::map<std::string, std::string> renamed_netdevs(const Snapshot& before, const Snapshot& now) {
  std::map<std::string, std::string> renamed;
  const auto is_same = [](const Netdev& a, const Netdev& b) {
    return a.link.index == b.link.index && a.link.name == b.link.name;
  };
  // Nodes of containers have thousands of netdevs, and hardly a tick has new ones.
  if (std::ranges::equal(before.netdevs, now.netdevs, is_same)) return renamed;
  const auto by_index = [](const Snapshot& snapshot) {
    std::map<std::uint32_t, const NetLink*> out;
    for (const Netdev& netdev : snapshot.netdevs) out.emplace(netdev.link.index, &netdev.link);
    return out;
  };
  const auto then_by_index = by_index(before), now_by_index = by_index(now);
  for (const auto& [index, link] : now_by_index) {
    const auto then = then_by_index.find(index);
    if (index == 0 || then == then_by_index.end() || then->second->name == link->name) continue;
    if (then->second->parent_device == link->parent_device) renamed[then->second->name] = link->name;
  }
  return renamed;
}

}  // namespace

History::Impl::Renamed History::Impl::follow_renames(const Snapshot& before, const Snapshot& now) {
  Renamed renamed = renamed_netdevs(before, now);
  const auto name_now = [&](const std::string& name) {
    const auto to = renamed.find(name);
    return to == renamed.end() ? name : to->second;
  };
  // A port that became a bond, or ceased to be one, counts other things: only its place is the same.
  const auto is_same = [&](const RdmaPort& then, const RdmaPort& port) {
    return !port.key.empty() && then.key == port.key && then.netdev.has_value() == port.netdev.has_value() &&
           (!port.netdev || name_now(*then.netdev) == *port.netdev) && then.members.size() == port.members.size();
  };
  Renamed devices;
  for (const RdmaPort& port : now.ports) {
    const auto then = std::find_if(before.ports.begin(), before.ports.end(),
                                   [&](const RdmaPort& other) { return is_same(other, port); });
    if (then != before.ports.end() && owner_of(*then) != owner_of(port)) devices[owner_of(*then)] = owner_of(port);
  }
  renamed.merge(devices);
  // All out before any goes in: names may have been swapped.
  std::vector<decltype(owners)::node_type> moved;
  for (const auto& [from, to] : renamed) {
    auto node = owners.extract(from);
    if (node.empty()) continue;
    node.key() = to;
    moved.push_back(std::move(node));
  }
  for (auto& node : moved) {
    owners.erase(node.key());
    owners.insert(std::move(node));
  }
  for (HistoryEvent& event : events)
    if (const auto to = renamed.find(event.owner); to != renamed.end()) event.owner = to->second;
  return renamed;
}

}  // namespace roceready

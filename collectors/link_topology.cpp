// SPDX-License-Identifier: Apache-2.0
#include "collectors/link_topology.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace roceready {
namespace {

constexpr std::size_t kMaxUppers = 64;

/// Kinds whose IFLA_LINK is the netdev below them; of a veth it is the peer.
bool stacks_on_lower(const NetLink& link) {
  constexpr std::array<std::string_view, 5> kKinds{"vlan", "macvlan", "macvtap", "ipvlan", "ipvtap"};
  return std::find(kKinds.begin(), kKinds.end(), link.kind) != kKinds.end();
}

void add_members(const Context& context, const std::string& netdev, int depth, std::set<std::string>& out) {
  const NetLink* link = context.link(netdev);
  if (link != nullptr && depth < 4 && link->kind == "vlan" && !link->lower.empty()) {
    add_members(context, link->lower, depth + 1, out);
    return;
  }
  if (link == nullptr || depth >= 4 || (link->kind != "bond" && link->kind != "team")) {
    out.insert(netdev);
    return;
  }
  for (const NetLink& other : context.links) {
    if (other.master == netdev && other.name != netdev) add_members(context, other.name, depth + 1, out);
  }
}

}  // namespace

std::vector<std::string> members_below(const Context& context, const std::string& netdev) {
  std::set<std::string> out;
  if (!netdev.empty()) add_members(context, netdev, 0, out);
  return {out.begin(), out.end()};
}

std::vector<std::string> uppers_above(const Context& context, const std::vector<std::string>& netdevs) {
  const std::set<std::string> start(netdevs.begin(), netdevs.end());
  std::set<std::string> seen = start;
  std::vector<std::string> open = netdevs;
  while (!open.empty() && seen.size() < start.size() + kMaxUppers) {
    const std::string below = open.back();
    open.pop_back();
    const NetLink* link = context.link(below);
    std::vector<std::string> above;
    if (link != nullptr && !link->master.empty()) above.push_back(link->master);
    for (const NetLink& other : context.links) {
      if (other.lower == below && stacks_on_lower(other)) above.push_back(other.name);
    }
    for (std::string& name : above) {
      if (seen.insert(name).second) open.push_back(std::move(name));
    }
  }
  std::vector<std::string> out;
  std::set_difference(seen.begin(), seen.end(), start.begin(), start.end(), std::back_inserter(out));
  return out;
}

bool is_representor_name(std::string_view name) {
  const auto take_number = [&] {
    const auto end = std::min(name.find_first_not_of("0123456789"), name.size());
    name.remove_prefix(end);
    return end > 0;
  };
  if (name.starts_with('c')) {
    name.remove_prefix(1);
    if (!take_number()) return false;
  }
  if (!name.starts_with("pf")) return false;
  name.remove_prefix(2);
  if (!take_number()) return false;
  if (!name.starts_with("vf") && !name.starts_with("sf")) return false;
  name.remove_prefix(2);
  return take_number() && name.empty();
}

}  // namespace roceready

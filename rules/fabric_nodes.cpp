// SPDX-License-Identifier: Apache-2.0
#include "rules/fabric_nodes.h"

#include <algorithm>

namespace roceready::rules {
namespace {

FabricPort told(const PeerPort& one) {
  FabricPort out{one.peer->peer, one.peer->digest.label, one.port};
  const auto& lost = one.peer->carrier_lost_seconds_ago;
  if (const auto at = lost.find(one.port->device + "/" + std::to_string(one.port->port)); at != lost.end())
    out.carrier_lost_ago = at->second;
  return out;
}

std::vector<FabricPort> those(const std::vector<FabricPort>& all, const std::function<bool(const FabricPort&)>& test) {
  std::vector<FabricPort> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), test);
  return out;
}

}  // namespace

std::vector<FabricPort> FabricPorts::under(const std::string& label) const {
  return those(peers, [&](const FabricPort& one) { return one.label == label; });
}
std::vector<FabricPort> FabricPorts::elsewhere(const std::string& label) const {
  return those(peers, [&](const FabricPort& one) { return !one.label.empty() && one.label != label; });
}

std::optional<FabricPorts> fabric_ports(const Evidence& seen, Outcomes& out) {
  const std::optional<PeerPorts> peers = peer_ports(seen, out);
  if (!peers) return std::nullopt;
  const NodeDigest& own = seen.now().probes->own;
  const auto at = std::find_if(own.ports.begin(), own.ports.end(), [&](const PortDigest& port) {
    return port.device == seen.port().device && port.port == seen.port().port;
  });
  if (at == own.ports.end()) {
    out.not_looked_at("longer_window", "this node has not told its peers of this port yet", "wait a minute");
    return std::nullopt;
  }
  FabricPorts all{{"", own.label, &*at}, {}};
  for (const PeerPort& one : peers->ports) all.peers.push_back(told(one));
  return all;
}

std::optional<FabricPorts> labelled_ports(const Evidence& seen, Outcomes& out) {
  std::optional<FabricPorts> all = fabric_ports(seen, out);
  if (!all || !all->own.label.empty()) return all;
  out.not_looked_at("not_configured", "which switch this node is cabled to is not configured", "probes.label");
  return std::nullopt;
}

void cannot_tell(Outcomes& out, const Absent& absent, const std::string& what) {
  if (absent.why == Why::NotRecorded)
    return out.not_looked_at("longer_window", "this node does not know yet " + what, "wait a minute");
  const std::string detail = absent.detail.empty() ? "this node does not know " + what : absent.detail;
  cannot_read(out, Absent{absent.why, detail}, what);
}

std::vector<std::string> nodes_of(const std::vector<FabricPort>& ports) {
  std::set<std::string> names;
  for (const FabricPort& one : ports) names.insert(one.node.empty() ? "this node" : one.node);
  return {names.begin(), names.end()};
}

}  // namespace roceready::rules

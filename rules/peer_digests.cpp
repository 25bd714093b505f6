// SPDX-License-Identifier: Apache-2.0
#include "rules/peer_digests.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "core/snapshot/digest.h"
#include "rules/port_probes.h"
#include "rules/profile_changes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kFreshSeconds = 300;

std::string name_of(Role role) {
  for (const ProfileModifier& one : profile_roles()) {
    Profile profile;
    one.apply(profile);
    if (profile.role == role) return one.name;
  }
  return "";
}

/// Ports of `digest` that our port probes.
std::set<std::pair<std::string, std::uint32_t>> probed_by(const RdmaPort& own, const ProbeFacts& facts,
                                                          const std::string& peer) {
  std::set<std::pair<std::string, std::uint32_t>> out;
  for (const PeerProbe& probe : facts.peers)
    if (probe.device == own.device && probe.port == own.port && probe.peer == peer && !probe.peer_device.empty())
      out.emplace(probe.peer_device, probe.peer_port);
  return out;
}

/// The rail that our own engine gave this port: it travels in no snapshot, so it is read off the peers that we probe.
std::string rail_of(const RdmaPort& own, const ProbeFacts& facts) {
  for (const PeerDigest& peer : facts.digests)
    for (const PortDigest& port : peer.digest.ports)
      if (!port.rail.empty() && probed_by(own, facts, peer.peer).contains({port.device, port.port})) return port.rail;
  return "";
}

void add_ports(const RdmaPort& own, const std::string& rail, const ProbeFacts& facts, const PeerDigest& peer,
               std::vector<PeerPort>& out) {
  const auto probed = probed_by(own, facts, peer.peer);
  const auto add = [&](const std::function<bool(const PortDigest&)>& test) {
    const std::size_t before = out.size();
    for (const PortDigest& port : peer.digest.ports)
      if (test(port)) out.push_back({&peer, &port});
    return out.size() > before;
  };
  if (add([&](const PortDigest& port) { return probed.contains({port.device, port.port}); })) return;
  if (!rail.empty() && add([&](const PortDigest& port) { return port.rail == rail; })) return;
  add([](const PortDigest&) { return true; });
}

}  // namespace

std::optional<PeerPorts> peer_ports(const Evidence& seen, Outcomes& out) {
  const Reading<ProbeFacts>& facts = seen.now().probes;
  if (probes_are_off(seen.now())) {
    out.not_looked_at("not_configured", "RDMA probes are off, and with them what peers say of themselves",
                      "probes.peers in the configuration; the daemon probes");
    return std::nullopt;
  }
  if (!facts) {
    out.unknown(facts.absent());
    return std::nullopt;
  }
  const std::string role = seen.profile() == nullptr ? "" : name_of(seen.profile()->role);
  PeerPorts peers;
  peers.own = digest_of(seen.now(), seen.port());
  const std::string rail = rail_of(seen.port(), *facts);
  for (const PeerDigest& peer : facts->digests)
    if (peer.age_seconds <= kFreshSeconds && peer.digest.role == role)
      add_ports(seen.port(), rail, *facts, peer, peers.ports);
  peers = peers.where([](const PeerPort&) { return true; });
  if (!peers.ports.empty()) return peers;
  if (const auto blocked = why_blocked(seen))
    out.unknown(*blocked);
  else if (facts->digests.empty())
    out.not_looked_at("longer_window", "no peer has told its facts yet", "wait; the daemon asks them");
  else
    out.not_looked_at("not_configured", "no peer of the same role told its facts in the last five minutes",
                      "probes.peers in the configuration; the daemon probes");
  return std::nullopt;
}

PeerPorts PeerPorts::where(const std::function<bool(const PeerPort&)>& test) const {
  PeerPorts out;
  out.own = own;
  std::set<std::string> known;
  for (const PeerPort& one : ports) {
    if (!test(one)) continue;
    out.ports.push_back(one);
    known.insert(one.peer->peer);
  }
  out.names.assign(known.begin(), known.end());
  return out;
}

void too_few_nodes(Outcomes& out, const PeerPorts& peers, double needed) {
  out.not_looked_at("not_configured",
                    counted(static_cast<double>(peers.nodes()), "node") + " can be compared, " +
                        std::to_string(static_cast<long>(needed)) + " are needed",
                    "more peers of the same role in probes.peers");
}

void nothing_told(Outcomes& out, const PeerPorts& peers, const std::string& what) {
  out.not_looked_at("longer_window", "no peer (" + some_of(peers.names) + ") tells its " + what,
                    "the same version of roceready on the peers, and what their own reports say of it");
}

Reading<Vote> vote_on(const PeerPorts& peers, const Fact& fact) {
  const Reading<std::string> own = fact(peers.own);
  if (!own) return own.absent();
  Vote out;
  out.own = *own;
  std::map<std::string, std::size_t> votes;
  std::set<std::string> odd, told;
  for (const PeerPort& one : peers.ports) {
    const Reading<std::string> word = fact(*one.port);
    if (!word) continue;
    ++out.total;
    told.insert(one.peer->peer);
    ++votes[*word];
    if (*word == *own) continue;
    ++out.differ;
    odd.insert(one.peer->peer);
  }
  for (const auto& [word, count] : votes) {
    if (count <= out.agreed) continue;
    out.agreed = count;
    out.theirs = word;
  }
  out.nodes = told.size() + 1;
  out.odd.assign(odd.begin(), odd.end());
  return out;
}

std::string some_of(const std::vector<std::string>& names) {
  std::vector<std::string> words(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), PeerJudgements::kNamedPeers)));
  if (names.size() > words.size()) words.push_back(std::to_string(names.size() - words.size()) + " more");
  return joined(words);
}

}  // namespace roceready::rules

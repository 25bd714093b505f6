// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/fitting_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/snapshot/probe_json.h"
#include "probes/cm_prober.h"
#include "probes/subset.h"

namespace roceready::daemon {
namespace {

/// Entries up to which all may fit, so that it is tried to write them at once; a digest is as long as several.
constexpr std::size_t kMayFit = 12'000, kEntriesOfDigest = 4;

enum class Rank : std::uint8_t { Silent, Losing, Faulty, Doubtful, Fine };

/// As probe-path-outlier has it, unless its limits are changed.
bool has_slow_path(const PeerProbe& probe) {
  constexpr double kFactor = 2, kFloorSeconds = 50e-6;
  constexpr std::uint64_t kTimed = 12;
  double fastest = std::numeric_limits<double>::infinity(), slowest = 0;
  for (const ProbePath& path : probe.paths) {
    if (!path.rtt || path.rtt->count < kTimed) continue;
    fastest = std::min(fastest, path.rtt->p50_seconds);
    slowest = std::max(slowest, path.rtt->p50_seconds);
  }
  return slowest > kFloorSeconds && slowest > kFactor * fastest;
}

Rank rank_of(const PeerProbe& probe) {
  const bool changed = probe.traffic_class && probe.traffic_class->rewritten + probe.traffic_class->bleached > 0;
  constexpr std::uint32_t kSilentInRow = 3;
  if (probe.lost_in_row >= kSilentInRow || !probe.control_answers.value_or(true)) return Rank::Silent;
  if (probe.lost + probe.lost_in_row + probe.mtu_lost > 0 || changed) return Rank::Losing;
  if (probe.slow_windows > 0 || has_slow_path(probe)) return Rank::Faulty;
  const bool untried = probe.sent == 0 && probe.kind != probes::kCmKind;
  const bool failed = probe.error && !probe.error->empty();
  const bool late = probe.discarded + probe.late_polls + probe.responder_late > 0;
  return untried || failed || late || probe.not_sent > 0 ? Rank::Doubtful : Rank::Fine;
}

/// All that is known of one peer, as indexes.
struct Peer {
  std::string_view name;
  std::uint64_t place = 0;  ///< among equals
  Rank rank = Rank::Fine;
  std::vector<std::size_t> probes, digests;
};

/// Best to be told first.
std::vector<Peer> by_rank(const std::vector<PeerProbe>& probes, const std::vector<PeerDigest>& digests) {
  std::map<std::string_view, Peer> known;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    Peer& peer = known[probes[i].peer];
    peer.probes.push_back(i);
    peer.rank = std::min(peer.rank, rank_of(probes[i]));
  }
  // Of no rank: rules ask how many peers say a thing of themselves.
  for (std::size_t i = 0; i < digests.size(); ++i) known[digests[i].peer].digests.push_back(i);
  std::vector<Peer> out;
  out.reserve(known.size());
  for (auto& [name, peer] : known) {
    peer.name = name;
    peer.place = probes::subset_id(name);
    out.push_back(std::move(peer));
  }
  std::ranges::sort(out, {}, [](const Peer& peer) { return std::tuple(peer.rank, peer.place, peer.name); });
  return out;
}

/// The chosen ones, in the order in which they stood.
template <class T>
std::vector<T> chosen(std::vector<T>& all, std::vector<std::size_t>& which) {
  std::ranges::sort(which);
  std::vector<T> out;
  out.reserve(which.size());
  for (const std::size_t index : which) out.push_back(std::move(all[index]));
  return out;
}

/// What is fine of some peers, by our ports.
std::vector<FineProbes> fine_of(std::span<const Peer> peers, const std::vector<PeerProbe>& all) {
  struct Seen {
    bool fine = true, loses = false;
    std::uint64_t sent = 0;
  };
  using Port = std::pair<std::string_view, std::uint32_t>;
  std::map<Port, FineProbes> of_all;
  for (const Peer& peer : peers) {
    std::map<Port, Seen> of_peer;
    for (const std::size_t index : peer.probes) {
      const PeerProbe& probe = all[index];
      Seen& seen = of_peer[{probe.device, probe.port}];
      seen.fine = seen.fine && rank_of(probe) == Rank::Fine;
      seen.loses = seen.loses || probe.lost + probe.lost_in_row > 0;
      if (probe.kind != probes::kCmKind) seen.sent += probe.sent;
    }
    for (const auto& [port, seen] : of_peer) {
      if (seen.loses || seen.sent == 0) continue;
      FineProbes& fine = of_all[port];
      fine.peers += seen.fine ? 1 : 0;
      fine.sent += seen.sent;
    }
  }
  std::vector<FineProbes> out;
  for (const auto& [port, fine] : of_all) out.push_back({std::string(port.first), port.second, fine.peers, fine.sent});
  return out;
}

void leave_out(ProbeFacts& facts) {
  std::vector<PeerProbe> all_probes = std::exchange(facts.peers, {});
  std::vector<PeerDigest> all_digests = std::exchange(facts.digests, {});
  const std::vector<Peer> peers = by_rank(all_probes, all_digests);
  facts.peers_left_out = static_cast<std::uint32_t>(peers.size());  // as long as these may become
  facts.fine_left_out = fine_of(peers, all_probes);
  std::size_t bytes = probe_facts_json(facts).size();
  const std::size_t none = probe_facts_json(ProbeFacts{}).size();
  std::vector<std::size_t> probes, digests;
  std::size_t told = 0;
  for (; told < peers.size(); ++told) {
    const Peer& peer = peers[told];
    ProbeFacts alone;
    for (const std::size_t index : peer.probes) alone.peers.push_back(all_probes[index]);
    for (const std::size_t index : peer.digests) alone.digests.push_back(all_digests[index]);
    constexpr std::size_t kCommas = 2;
    bytes += probe_facts_json(alone).size() - none + kCommas;
    if (bytes > kMaxProbeBytes || probes.size() + peer.probes.size() > kMaxProbedPeers ||
        digests.size() + peer.digests.size() > kMaxProbedPeers)
      break;
    probes.insert(probes.end(), peer.probes.begin(), peer.probes.end());
    digests.insert(digests.end(), peer.digests.begin(), peer.digests.end());
  }
  facts.peers_left_out = static_cast<std::uint32_t>(peers.size() - told);
  facts.fine_left_out = fine_of(std::span(peers).subspan(told), all_probes);
  facts.peers = chosen(all_probes, probes);
  facts.digests = chosen(all_digests, digests);
}

}  // namespace

std::string fitting_results(ProbeFacts& facts) {
  facts.peers_left_out = 0;
  facts.fine_left_out.clear();
  if (facts.peers.size() + kEntriesOfDigest * facts.digests.size() <= kMayFit) {
    std::string all = probe_facts_json(facts);
    if (all.size() <= kMaxProbeBytes) return all;
  }
  leave_out(facts);
  return probe_facts_json(facts);
}

}  // namespace roceready::daemon

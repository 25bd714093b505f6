// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/peer_digests.h"
#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint64_t kFewLost = 3;  // fewer are chance
constexpr double kPerhaps = 0.4, kProbably = 0.7;

/// What this port loses to one peer.
struct Way {
  const ProbedPeer* peer = nullptr;
  std::string label;
  double share = 0;
  bool loses = false;
};

/// Where the loss is.
struct Place {
  std::string sentence;
  double confidence = kPerhaps;
  std::optional<std::string> peer;
};

/// It answers neither probes nor, as far as is known, HTTP: that it is there at all is not known.
bool is_unheard(const ProbedPeer& peer) {
  return std::any_of(peer.kinds.begin(), peer.kinds.end(), [](const PeerProbe* kind) { return is_silent(*kind); }) &&
         !control_of(peer).value_or(false);
}

/// Nothing where too little was sent to say.
std::optional<Way> way_to(const Evidence& seen, const ProbedPeer& peer) {
  Way out{&peer, peer.kinds.front()->label, 0, false};
  std::uint64_t sent = 0, lost = 0;
  for (const PeerProbe* kind : peer.kinds) {
    if (is_silent(*kind)) out.loses = true;
    sent += kind->sent;
    lost += kind->lost - std::min(kind->lost, deniable_losses(*kind));  // what a host may explain is not counted
  }
  if (static_cast<double>(sent) < seen.limit("peer_probes") && !out.loses) return std::nullopt;
  out.share = sent == 0 ? 1 : static_cast<double>(lost) / static_cast<double>(sent);
  out.loses = out.loses || (lost >= kFewLost && out.share >= seen.limit("loses"));
  return out;
}

std::vector<std::string> names_of(const std::vector<Way>& ways) {
  std::vector<std::string> out;
  for (const Way& way : ways) out.push_back(way.peer->name);
  return out;
}

/// The peer tells of a fault of its own that loses packets.
bool admits(const Evidence& seen, const std::string& peer) {
  const auto is_fault = [](std::string_view rule) {
    return rule.starts_with("link-") || rule.starts_with("drop-") || rule.starts_with("transport-");
  };
  for (const PeerDigest& one : seen.now().probes->digests)
    if (peer.starts_with(one.peer))
      for (const PortDigest& port : one.digest.ports)
        if (port.findings && std::any_of(port.findings->begin(), port.findings->end(),
                                         [&](const auto& finding) { return is_fault(finding.first); }))
          return true;
  return false;
}

/// All the loss lies between this node's leaf and one other.
std::optional<Place> between_leaves(const Evidence& seen, const std::vector<Way>& ways,
                                    const std::vector<Way>& losing) {
  const std::string& own = seen.now().probes->own.label;
  const std::string& other = losing.front().label;
  if (own.empty() || other.empty() || other == own) return std::nullopt;
  std::size_t there = 0;
  for (const Way& way : ways) there += way.label == other ? 1U : 0U;
  const bool all = std::all_of(losing.begin(), losing.end(), [&](const Way& way) { return way.label == other; });
  if (fine_left_out(seen).peers > 0) return std::nullopt;  // under which switch those are is not known
  if (!all || losing.size() < 2 || 2 * losing.size() < there) return std::nullopt;
  return Place{"only " + std::to_string(losing.size()) + " of " + std::to_string(there) + " peers under " + other +
                   " lose probes: it lies between " + own + " and " + other,
               kPerhaps, std::nullopt};
}

/// Everybody loses probes of ours, or everybody who is not under our own switch.
std::optional<Place> here(const Evidence& seen, const std::vector<Way>& ways, const std::vector<Way>& losing) {
  const std::size_t tried = ways.size() + fine_left_out(seen).peers;
  const auto all = static_cast<double>(tried);
  const std::string count = std::to_string(losing.size()) + " of " + std::to_string(tried) + " peers";
  const std::string& own = seen.now().probes->own.label;
  const auto inside = [&](const Way& way) { return !own.empty() && way.label == own; };
  const auto near = std::count_if(ways.begin(), ways.end(), inside);
  const auto near_losing = std::count_if(losing.begin(), losing.end(), inside);
  if (static_cast<double>(losing.size()) >= seen.limit("most_peers") * all)
    return Place{count + " lose probes: it lies with this node's port, its cable or its switch", kProbably,
                 std::nullopt};
  const auto far = all - static_cast<double>(near);
  if (near >= 2 && near_losing == 0 && far >= 2 && static_cast<double>(losing.size()) >= seen.limit("most_peers") * far)
    return Place{count + " lose probes, and none of " + std::to_string(near) + " under " + own +
                     ": it lies behind this node's switch",
                 kPerhaps, std::nullopt};
  return std::nullopt;
}

std::optional<Place> place_of(const Evidence& seen, const std::vector<Way>& ways, const std::vector<Way>& losing) {
  if (auto place = here(seen, ways, losing)) return place;
  if (losing.size() == 1) {
    const std::string& name = losing.front().peer->name;
    const bool admitted = admits(seen, name);
    return Place{"only " + name + " of " + std::to_string(ways.size() + fine_left_out(seen).peers) +
                     " peers loses probes: it lies there" +
                     (admitted ? ", and that node tells of a fault of its own" : ""),
                 kPerhaps, name};
  }
  return between_leaves(seen, ways, losing);
}

Absent cut_off_or_down(std::size_t unheard, std::size_t of) {
  return {Why::NotPresent,
          std::to_string(unheard) + " of " + std::to_string(of) +
              " peers answer neither probes nor HTTP: they are down, or this node is cut off from them"};
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  std::vector<Way> ways, losing;
  std::optional<Absent> not_sent;
  std::size_t unheard = 0;
  for (const ProbedPeer& peer : peers) {
    if (is_unheard(peer)) {
      ++unheard;
      continue;
    }
    if (auto why = why_not_sent(peer)) not_sent = std::move(why);
    if (const auto way = way_to(seen, peer)) ways.push_back(*way);
  }
  std::copy_if(ways.begin(), ways.end(), std::back_inserter(losing), [](const Way& way) { return way.loses; });
  if (static_cast<double>(ways.size() + 1) < seen.limit("min_nodes")) {
    if (not_sent) return out.unknown(*not_sent);
    if (unheard > 0 && static_cast<double>(ways.size() + unheard + 1) >= seen.limit("min_nodes"))
      return out.unknown(cut_off_or_down(unheard, peers.size()));
    return out.not_looked_at("not_configured",
                             "enough probes went to " + counted(static_cast<double>(ways.size()), "peer") +
                                 "; more are needed to tell one place from another",
                             "more peers in probes.peers, or wait");
  }
  if (losing.empty() && unheard > ways.size() + fine_left_out(seen).peers)
    return out.unknown(cut_off_or_down(unheard, peers.size()));
  if (losing.empty()) return out.pass();
  const std::optional<Place> place = place_of(seen, ways, losing);
  if (!place)
    return out.unknown({Why::NotPresent, "loss to " + some_of(names_of(losing)) + " has no one place in common"});
  double worst = 0;
  for (const Way& way : losing) worst = std::max(worst, way.share);
  const bool grave = place->confidence >= kProbably && worst >= seen.limit("crit");
  Judgement& said = out.fail(
      grave ? Severity::Critical : Severity::Warning,
      "Of the probes from " + port_name(seen) + " up to " + percent(worst) + " are lost; " + place->sentence + ".",
      {seen.item("largest loss to a peer", worst, "share", ">=", seen.limit("loses"),
                 "RDMA probes to " + some_of(names_of(losing)))});
  said.confidence = place->confidence;
  said.subject.peer = place->peer;
  said.derived_threshold = true;
}

}  // namespace

extern const Rule kFabricLossLocalised;
constinit const Rule kFabricLossLocalised{
    .id = "fabric-loss-localised",
    .family = "fabric",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kProbe | kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Loss has been traced to one node, leaf or path",
    .what =
        "Compares to which peers this port loses probes, and their switches by probes.label. Warning when that points "
        "to one peer, to one pair of leaves, to what is behind this node's switch, or to this node's own port; "
        "critical "
        "for the last where much is lost.",
    .why = "It tells where to look among hundreds of nodes that all see loss.",
    .next = "Look at the named node, leaf or path.",
    .likely_causes = {"failing link", "failing NIC", "a switch that drops"},
    .fix = {Recipe::Switch},
    .traps = {"A silent peer that does not answer over HTTP either may be down: it is no sign of a place. Where most "
              "are such, it "
              "is unknown whether they are down or this node is cut off.",
              "This node sees its own row of the fabric only: whoever loses to all is named as being near.",
              "Loss elsewhere is told with low confidence: the peer is to blame, not this node.",
              "One path of several is the matter of probe-path-outlier."},
    .limits = {Limit{.name = "loses",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of lost probes from which a peer counts as losing"},
               Limit{.name = "crit",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of lost probes at this node's own port from which it is critical"},
               Limit{.name = "peer_probes",
                     .value = 50,
                     .unit = "count",
                     .min = 1,
                     .max = 100000,
                     .evidence = 'D',
                     .help = "probes to a peer from which it is judged"},
               Limit{.name = "most_peers",
                     .value = 0.8,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'P',
                     .help = "share of the peers that lose probes from which the place is near"},
               Limit{.name = "min_nodes",
                     .value = 4,
                     .unit = "count",
                     .min = 3,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "nodes, this one included, from which it is judged"}},
    .facts = {"rpingmesh"},
    .judge = judge,
};

}  // namespace roceready::rules

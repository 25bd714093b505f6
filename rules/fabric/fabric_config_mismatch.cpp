// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/peer_digests.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kUndecided = 0.4;  // too few nodes to say who is right

using Map = std::map<std::string, std::uint32_t>;

std::string words_of(const Map& map) {
  std::string out;
  for (const auto& [dscp, priority] : map) out += (out.empty() ? "" : ", ") + dscp + " to " + std::to_string(priority);
  return out.empty() ? "the default" : out;
}

template <class T>
Reading<std::string> text_of(const Reading<T>& fact, const std::function<std::string(const T&)>& words) {
  return fact ? Reading<std::string>(words(*fact)) : Reading<std::string>(fact.absent());
}

/// One setting that is compared.
struct Setting {
  const char* name;
  bool grave;  // as the rule about one node would be
  Fact fact;
  /// Whether our own value is the one that the profile demands.
  std::function<bool(const PortDigest&, const Profile&)> as_demanded;
};

bool maps_rightly(const PortDigest& port, const Profile& profile) {
  const auto at = port.dscp_to_priority->find(std::to_string(profile.roce_dscp));
  constexpr std::uint32_t kDscpsOfPriority = 8;
  const std::uint32_t priority = at != port.dscp_to_priority->end() ? at->second : profile.roce_dscp / kDscpsOfPriority;
  return priority == profile.roce_priority;
}

std::vector<Setting> settings() {
  const auto never = [](const PortDigest&, const Profile&) { return false; };
  return {
      {"PFC", true, [](const PortDigest& port) { return text_of<std::uint32_t>(port.pfc_mask, priorities_text); },
       [](const PortDigest& port, const Profile& profile) { return *port.pfc_mask == profile.pfc_priorities; }},
      {"trust", true, [](const PortDigest& port) { return port.trust; },
       [](const PortDigest& port, const Profile& profile) { return *port.trust == profile.trust; }},
      {"the DSCP map", true, [](const PortDigest& port) { return text_of<Map>(port.dscp_to_priority, words_of); },
       maps_rightly},
      {"FEC", false, [](const PortDigest& port) { return port.fec; }, never},
      {"RoCE versions", false,
       [](const PortDigest& port) { return text_of<std::vector<std::string>>(port.roce_versions, joined); }, never},
  };
}

/// Peers that are meant to be set up alike: same driver, and no other profile.
PeerPorts alike(const Evidence& seen, const PeerPorts& peers) {
  const std::string profile = seen.profile() == nullptr ? "" : seen.profile()->name;
  return peers.where([&](const PeerPort& one) {
    const std::string& other = one.peer->digest.profile;
    const bool same_profile = profile.empty() || other.empty() || profile == other;
    return same_profile && one.port->driver && peers.own.driver && *one.port->driver == *peers.own.driver;
  });
}

struct Mismatch {
  const Setting* setting = nullptr;
  Vote vote;
};

void write(const Evidence& seen, const PeerPorts& peers, const std::vector<Mismatch>& found, Outcomes& out) {
  bool undecided = true;
  Severity severity = Severity::Warning;
  std::vector<std::string> words, right;
  std::vector<EvidenceItem> evidence;
  for (const auto& [setting, vote] : found) {
    const bool as_demanded = seen.profile() != nullptr && setting->as_demanded(peers.own, *seen.profile());
    if (as_demanded) right.emplace_back(setting->name);
    const bool enough = static_cast<double>(vote.nodes) >= seen.limit("min_nodes");
    undecided = undecided && !enough;
    if (setting->grave && !as_demanded && enough) severity = Severity::Critical;
    words.push_back(std::string(setting->name) + ": " + vote.own + " here, " + vote.theirs + " on " +
                    std::to_string(vote.agreed) + " of " + counted(static_cast<double>(vote.total), "peer port"));
    evidence.push_back(seen.word(setting->name, vote.own, "!=", vote.theirs, "digests of " + some_of(peers.names)));
  }
  std::string sentence =
      port_name(seen) + " is set up differently from " + some_of(peers.names) + ": " + joined(words) + ".";
  if (!right.empty())
    sentence += " As profile " + seen.profile()->name + " demands it is " + joined(right) + " here, not there.";
  if (undecided) sentence += " These are too few nodes to say which is right.";
  Judgement& failure = out.fail(severity, std::move(sentence), std::move(evidence));
  if (undecided) failure.confidence = kUndecided;
  if (peers.names.size() == 1) failure.subject.peer = peers.names.front();
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<PeerPorts> all = peer_ports(seen, out);
  if (!all) return;
  const PeerPorts peers = alike(seen, *all);
  if (peers.ports.empty())
    return out.not_looked_at("not_configured", "no peer has the same driver and profile",
                             "more peers of the same kind in probes.peers");
  const std::vector<Setting> compared = settings();
  std::vector<Mismatch> found;
  std::optional<Absent> missing;
  std::vector<std::string> untold;  // that we know of ourselves, and no peer says of itself
  bool some_compared = false;
  for (const Setting& setting : compared) {
    const Reading<Vote> vote = vote_on(peers, setting.fact);
    if (vote && vote->outvoted(seen.limit("majority"))) found.push_back({&setting, *vote});
    // What this driver can never show lacks on its peers too.
    if (!vote && setting.grave && vote.absent().why != Why::NotSupported && !missing) missing = vote.absent();
    if (vote && vote->total > 0) some_compared = true;
    if (vote && vote->total == 0 && setting.grave) untold.emplace_back(setting.name);
  }
  if (!found.empty()) return write(seen, peers, found, out);
  if (missing) return out.unknown(*missing);
  if (!untold.empty()) return nothing_told(out, peers, joined(untold));
  if (!some_compared) return nothing_told(out, peers, "settings");
  out.pass();
}

}  // namespace

extern const Rule kFabricConfigMismatch;
constinit const Rule kFabricConfigMismatch{
    .id = "fabric-config-mismatch",
    .family = "fabric",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "This node is set up differently from its peers",
    .what =
        "Compares PFC, trust, DSCP map, FEC and RoCE versions with what the peers of the same profile and driver say "
        "of "
        "themselves. Fires when 90 % of them agree and this node differs: critical for PFC, trust and map, warning for "
        "the others, where this node has what its profile demands, and among fewer than four nodes.",
    .why = "One node that differs is enough to lose packets or to spread pause.",
    .next = "Bring this node in line with the majority, or state the profile that it should have.",
    .likely_causes = {"settings lost after a reboot", "node installed by other means", "half-finished roll-out"},
    .fix = {Recipe::Trust, Recipe::DscpMap, Recipe::Pfc},
    .traps =
        {"NICs of different vendors legitimately differ in the class of notifications: compared within one vendor.",
         "Facts of at least four nodes of the same role within five minutes make a majority; of fewer nobody can say "
         "who "
         "is right, so confidence is low.",
         "A setting of PFC, trust or map that no peer tells is not compared, and the rule does not pass then.",
         "MTUs are fabric-mtu-mismatch's matter, speeds fabric-speed-outlier's."},
    .limits = {Limit{.name = "majority",
                     .value = 0.9,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the peers that must agree"},
               Limit{.name = "min_nodes",
                     .value = 4,
                     .unit = "count",
                     .min = 2,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "nodes, this one included, from which a majority is believed"}},
    .facts = {"fabric-majority"},
    .judge = judge,
};

}  // namespace roceready::rules

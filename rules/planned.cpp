// SPDX-License-Identifier: Apache-2.0
#include "rules/planned.h"

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "rules/engine.h"
#include "rules/rule.h"
#include "rules/wording.h"

namespace roceready::rules {

void add_planned(std::uint8_t modes, std::vector<Gap>& gaps) {
  struct Source {
    Judged judged;
    const char* words;
  };
  static constexpr std::array<Source, 2> kSources{
      {{kLldp, "what the switch announces (LLDP)"},
       {kFabric, "what other nodes count and to which switches they are cabled"}}};
  std::array<std::string, kSources.size()> names;
  for (const Rule* rule : catalogue()) {
    if (rule->status != Status::Planned || (rule->modes & modes) == 0) continue;
    // A rule of several sources is named with the one that its family is about.
    const std::string_view family = rule->family;
    const Judged main = family == "lldp" ? kLldp : family == "fabric" ? kFabric : kProbe;
    for (std::size_t k = 0; k < kSources.size(); ++k) {
      const bool of_main = (rule->judged & main) == 0 || kSources[k].judged == main;
      if (!of_main || (rule->judged & kSources[k].judged) == 0) continue;
      names[k] += (names[k].empty() ? "" : ", ") + std::string(rule->id);
      break;
    }
  }
  for (std::size_t k = 0; k < kSources.size(); ++k) {
    if (names[k].empty()) continue;
    gaps.push_back(
        {"",
         {},
         "planned",
         std::string(kSources[k].words) + ": this version does not ask for them, so it cannot find " + names[k],
         ""});
  }
}

void add_macsec(std::uint8_t modes, std::vector<Gap>& gaps) {
  const Rule* rule = rule_named("lldp-pfc-cap");
  if (rule == nullptr || rule->status != Status::Planned || (rule->modes & modes) == 0) return;
  gaps.push_back(
      {rule->id,
       {},
       "planned",
       "the profile says macsec: whether both ends let PFC pass MACsec is in what the switch announces (LLDP), "
       "which this version does not ask for; where they differ, pause is counted as corruption",
       "compare the MACsec bypass of PFC on both ends by hand (lldptool -t -n -i IF, and on the switch)"});
}

bool rests_on_probes(const Rule& rule) {
  return rule.judged != 0 && (rule.judged & ~(kProbe | kFabric)) == 0;
}

void add_unprobed(std::uint8_t modes, const Absent& why, std::vector<Gap>& gaps) {
  std::string names;
  for (const Rule* rule : catalogue()) {
    if (rule->status == Status::Planned || rule->on_demand || !rests_on_probes(*rule) || (rule->modes & modes) == 0)
      continue;
    names += (names.empty() ? "" : ", ") + std::string(rule->id);
  }
  if (names.empty()) return;
  const bool old = why.why == Why::NotRecorded;
  gaps.push_back({"",
                  {},
                  old ? name_of(why.why) : "not_configured",
                  std::string(old ? "the recording holds no results of RDMA probes" : "RDMA probes are off") +
                      ", so this cannot find " + names,
                  old ? "record a node whose daemon probes" : "set probes.peers in the configuration of the daemon"});
}

void add_untold(const ProbeFacts& facts, std::vector<Gap>& gaps) {
  for (const std::string& problem : facts.problems)
    gaps.push_back({"",
                    {},
                    name_of(Why::NotPresent),
                    "peers of RDMA probes may be missing: " + problem,
                    "correct what probes.peers, probes.peers_file or probes.peers_dns names"});
  if (facts.peers_left_out == 0) return;
  std::set<std::string_view> told;
  for (const PeerProbe& peer : facts.peers) told.insert(peer.peer);
  gaps.push_back({"",
                  {},
                  name_of(Why::Filtered),
                  "what RDMA probes know of " + counted(facts.peers_left_out, "peer") +
                      " is not judged: the results of all peers are too long, and those with faults come first",
                  told.empty() ? "a lower probes.max_peers"
                               : "probes.max_peers: " + std::to_string(told.size()) + ", as many as fit"});
}

bool was_measured(const Snapshot& snapshot) {
  return snapshot.probes && !snapshot.probes->bandwidth.empty();
}

void add_unmeasured(std::uint8_t modes, std::vector<Gap>& gaps) {
  std::string names;
  for (const Rule* rule : catalogue())
    if (rule->on_demand && (rule->modes & modes) != 0) names += (names.empty() ? "" : ", ") + std::string(rule->id);
  if (names.empty()) return;
  gaps.push_back({"",
                  {},
                  "on_demand",
                  "bandwidth is measured on demand alone, since it fills the line, so this cannot find " + names,
                  "roceready probe --kind bandwidth PEER; on a node without jobs, roceready probe --kind loopback"});
}

}  // namespace roceready::rules

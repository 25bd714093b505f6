// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Losses of datagrams whose direction is known, of one peer or of several.
struct Directions {
  std::uint64_t sent = 0, lost = 0, there = 0, back = 0;
  void add(const PeerProbe& probe) {
    sent += probe.sent;
    lost += probe.lost;
    there += *probe.lost_there;
    back += *probe.lost_back;
  }
  [[nodiscard]] std::uint64_t known() const { return there + back; }
  [[nodiscard]] std::uint64_t more() const { return std::max(there, back); }
  [[nodiscard]] bool are_lopsided(const Evidence& seen) const {
    return static_cast<double>(known()) >= seen.limit("min_lost") &&
           static_cast<double>(more()) >= seen.limit("one_side") * static_cast<double>(known()) &&
           static_cast<double>(more()) >= seen.limit("loses") * static_cast<double>(sent);
  }
};

std::string words_of(const Evidence& seen, const Directions& all, const std::string& whom) {
  const bool out = all.there > all.back;
  return "Of " + counted(static_cast<double>(all.sent), "probe") + " from " + port_name(seen) + " to " + whom + ", " +
         std::to_string(all.there) + " were lost on the way there and the answers of " + std::to_string(all.back) +
         " on the way back: the way " + (out ? "out" : "in") + " is at fault, the other is not.";
}

std::vector<EvidenceItem> evidence(const Evidence& seen, const Directions& all, const std::string& source) {
  const double share = static_cast<double>(all.more()) / static_cast<double>(all.known());
  return {seen.item("share of the losses in one direction", share, "share", ">=", seen.limit("one_side"), source),
          seen.item("lost on the way there", static_cast<double>(all.there), "probes", source),
          seen.item("lost on the way back", static_cast<double>(all.back), "probes", source)};
}

const PeerProbe* datagrams(const ProbedPeer& peer) {
  for (const PeerProbe* kind : peer.kinds)
    if (kind->kind == "ud") return kind;
  return nullptr;
}

/// Null: its directions cannot be compared, and why was noted.
const PeerProbe* comparable(const ProbedPeer& peer, PeerJudgements& said) {
  if (const auto not_sent = why_not_sent(peer)) {
    said.unknown(peer, *not_sent);
    return nullptr;
  }
  const PeerProbe* const probe = datagrams(peer);
  if (probe == nullptr) {
    said.not_applicable("only datagrams tell in which direction they were lost");
    return nullptr;
  }
  if (is_silent(*probe)) return nullptr;  // of probe-unreachable
  if (probe->lost_there && probe->lost_back) return probe;
  if (probe->lost_there.absent().why == Why::NotRecorded)
    said.later("the recording does not tell how many probes arrived at " + peer.name);
  else if (probe->sent > probe->lost)
    said.cannot_read(peer, probe->lost_there.absent(), "how many probes arrived");
  else
    said.later("no answer from " + peer.name + " yet");
  return nullptr;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  PeerJudgements said(seen, "lose probes in one direction");
  Directions all;
  std::vector<const ProbedPeer*> judged;
  for (const ProbedPeer& peer : peers)
    if (const PeerProbe* const probe = comparable(peer, said)) {
      all.add(*probe);
      judged.push_back(&peer);
    }
  bool found = false;
  for (const ProbedPeer* peer : judged) {
    Directions one;
    one.add(*datagrams(*peer));
    if (!one.are_lopsided(seen)) continue;
    found = true;
    Judgement& failure = said.fail(*peer, Severity::Warning, static_cast<double>(one.more()),
                                   words_of(seen, one, peer->full_name()), evidence(seen, one, source_of(seen, *peer)));
    failure.derived_threshold = true;
  }
  // What no single peer shows may show in all of them: then it is near.
  if (!found && judged.size() >= 2 && all.are_lopsided(seen)) {
    found = true;
    const std::string whom = counted(static_cast<double>(judged.size()), "peer");
    said.fail_port(Severity::Warning, words_of(seen, all, whom), evidence(seen, all, "RDMA probes to " + whom))
        .derived_threshold = true;
  }
  if (!found && !judged.empty()) {
    if (static_cast<double>(all.sent) < seen.limit("min_probes"))
      said.insufficient("only " + counted(static_cast<double>(all.sent), "probe") + " yet");
    else
      said.pass();
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbeAsymmetric;
constinit const Rule kProbeAsymmetric{
    .id = "probe-asymmetric",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "One direction of a path is worse than the other",
    .what =
        "Compares both directions between two nodes: peers count the probes that arrive, so a lost probe and a lost "
        "answer are told apart. Warning when nearly all losses, to one peer or to all together, are in one direction.",
    .why = "It halves the search: one transmitter or one receiver is at fault.",
    .next = "Look at the transmit side of the sender and the receive side of the receiver: optics, then drops.",
    .likely_causes = {"weak transmitter or receiver of an optic", "one-sided PFC", "different path for each direction"},
    .fix = {Recipe::Optic, Recipe::Switch},
    .traps = {"Both directions may take different paths through the fabric.",
              "Few losses are chance: eight at least, nine of ten in one direction.",
              "A probe that is answered after the timeout was lost in neither direction.",
              "Which direction is known from the next answer on: a path that is dead is another rule's matter.",
              "Bandwidth is not measured, so only loss is compared."},
    .limits = {Limit{.name = "min_lost",
                     .value = 8,
                     .unit = "count",
                     .min = 2,
                     .max = 100000,
                     .evidence = 'D',
                     .help = "losses whose direction is known from which they are compared"},
               Limit{.name = "one_side",
                     .value = 0.9,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of them in one direction"},
               Limit{.name = "loses",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the probes lost in that direction below which nothing is said"},
               Limit{.name = "min_probes",
                     .value = 50,
                     .unit = "count",
                     .min = 1,
                     .max = 100000,
                     .evidence = 'D',
                     .help = "probes from which both directions pass"}},
    .facts = {"rpingmesh"},
    .judge = judge,
};

}  // namespace roceready::rules

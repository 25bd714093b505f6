// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

std::string newest_error(const ProbedPeer& peer) {
  for (const PeerProbe* kind : peer.kinds)
    if (kind->error && !kind->error->empty()) return " The newest reason: " + *kind->error + ".";
  return "";
}

/// The peer's own word that it lets nobody probe it: its agent runs, and its RDMA path is not tried.
const std::string* serves_no_probes(const ProbedPeer& peer) {
  for (const PeerProbe* kind : peer.kinds)
    if (kind->error && kind->error->find("the peer answers no probes") != std::string::npos) return &*kind->error;
  return nullptr;
}

/// Connections, which the peer's NIC answers without its host, work while datagrams are silent.
bool connections_work(const ProbedPeer& peer, const std::vector<std::string>& silent) {
  return silent == std::vector<std::string>{"ud"} &&
         std::any_of(peer.kinds.begin(), peer.kinds.end(), [](const PeerProbe* kind) {
           return kind->kind.starts_with("rc-") && kind->sent > kind->lost && kind->lost_in_row == 0;
         });
}

/// What the control channel makes of silence.
std::string verdict_of(const Reading<bool>& control, bool connected) {
  if (connected)
    return ", but it answers over HTTP, and its NIC answered the newest requests on connections: its responder, or "
           "what "
           "only datagrams need, may be at fault rather than the path.";
  if (!control)
    return ". It was not asked over HTTP since: whether the host, its agent or its RDMA path is down is not confirmed.";
  if (*control) return ", but it answers over HTTP: the host is up, its RDMA path is not.";
  return ", and it does not answer over HTTP either: it is down, its agent is, or the IP path is broken.";
}

void judge_peer(const Evidence& seen, const ProbedPeer& peer, PeerJudgements& said) {
  const auto in_row = static_cast<std::uint32_t>(seen.limit("timeouts"));
  std::vector<std::string> silent, answering;
  std::uint32_t longest = 0;
  bool tried = false;
  bool late = false;
  for (const PeerProbe* kind : peer.kinds) {
    tried = tried || kind->sent > 0;
    late = late || (kind->lost_in_row >= in_row && !is_silent(*kind, in_row));
    if (is_silent(*kind, in_row)) {
      silent.push_back(kind->kind);
      longest = std::max(longest, kind->lost_in_row);
    } else if (kind->sent > kind->lost) {
      answering.push_back(kind->kind);
    }
  }
  const Reading<bool> control = control_of(peer);
  const std::string source = source_of(seen, peer);
  const EvidenceItem answers = seen.word("HTTP control channel",
                                         !control   ? "not asked since"
                                         : *control ? "answers"
                                                    : "does not answer",
                                         source);
  const std::string* none_served = serves_no_probes(peer);
  if (none_served != nullptr && (!tried || !silent.empty())) {
    said.unknown(peer, {Why::NotPresent, *none_served});
  } else if (!silent.empty()) {
    std::string sentence = counted(longest, joined(silent) + " probe") + " in a row from " + port_name(seen) + " to " +
                           peer.full_name() + " had no answer";
    if (!answering.empty()) sentence += " (" + joined(answering) + " probes are answered)";
    const bool connected = control && *control && connections_work(peer, silent);
    const bool confirmed = control && *control && !connected;
    said.fail(peer, confirmed ? Severity::Critical : Severity::Warning, longest,
              sentence + verdict_of(control, connected) + newest_error(peer),
              {seen.item("probes in a row without an answer", longest, "probes", ">=", in_row, source), answers});
  } else if (late) {
    said.unknown(peer, {Why::NotPresent, kPeerIsLate});
  } else if (tried) {
    said.pass();
  } else if (control && !*control) {
    said.fail(peer, Severity::Warning, 0,
              "No probe could be arranged from " + port_name(seen) + " with " + peer.full_name() +
                  ": it does not answer over HTTP. It is down, its agent is, or the IP path is broken." +
                  newest_error(peer),
              {answers});
  } else if (const auto why = why_not_sent(peer)) {
    said.unknown(peer, *why);
  } else {
    said.later("no probe was sent to " + peer.name + " yet." + newest_error(peer));
  }
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  PeerJudgements said(seen, "do not answer RDMA probes");
  for (const ProbedPeer& peer : peers) judge_peer(seen, peer, said);
  said.write(out);
}

}  // namespace

extern const Rule kProbeUnreachable;
constinit const Rule kProbeUnreachable{
    .id = "probe-unreachable",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "A peer does not answer RDMA probes",
    .what =
        "Sends RDMA probes to each peer. Critical when three of a kind in a row get no answer although the peer "
        "answers over HTTP; warning when it does not answer there either, or was not asked there since, or when only "
        "datagrams are silent and its NIC answered the newest requests on connections.",
    .why = "RDMA connections to that peer cannot be made or hang.",
    .next =
        "Where IP works and RDMA does not: look at filters on UDP 4791, the GID and VLAN of both ends, and pause "
        "storms; else repair the IP path.",
    .likely_causes = {"pause storm on the path", "filter on UDP port 4791", "wrong GID or VLAN", "MTU of the path"},
    .fix = {Recipe::Gid, Recipe::Switch},
    .traps = {"A peer whose agent does not run answers nothing: its control channel must say that it runs.",
              "A peer that answers over HTTP that it serves no probes is unknown, not unreachable.",
              "A probe that could not be sent says nothing of the peer, nor does silence of a peer whose host answers "
              "after the timeout.",
              "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .limits = {Limit{.name = "timeouts",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 100,
                     .evidence = 'P',
                     .help = "unanswered probes in a row"}},
    .facts = {"rpingmesh"},
    .judge = judge,
};

}  // namespace roceready::rules

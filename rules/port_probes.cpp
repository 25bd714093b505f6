// SPDX-License-Identifier: Apache-2.0
#include "rules/port_probes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr char kConnectionKind[] = "rdmacm";
constexpr char kPeersOption[] = "probes.peers in the configuration; the daemon probes";

std::string port_of(const Evidence& seen) {
  return seen.port().device + "/" + std::to_string(seen.port().port);
}

/// "mlx5_0/1", not "RDMA".
bool names_a_port(const std::string& key) {
  const std::size_t slash = key.rfind('/');
  return slash != std::string::npos && slash > 0 && parse_u64(std::string_view(key).substr(slash + 1)).has_value();
}

}  // namespace

bool probes_are_off(const Snapshot& snapshot) {
  if (snapshot.probes) return false;
  const Why why = snapshot.probes.absent().why;
  return why == Why::NotPresent || why == Why::NotSupported || why == Why::NotRecorded;
}

std::optional<Absent> why_blocked(const Evidence& seen) {
  const ProbeFacts& facts = *seen.now().probes;
  if (const auto own = facts.blocked.find(port_of(seen)); own != facts.blocked.end())
    return Absent{Why::NotPresent, port_of(seen) + " cannot probe: " + own->second};
  for (const auto& [what, why] : facts.blocked)
    if (!names_a_port(what)) return Absent{Why::NotPresent, "no port can probe (" + what + "): " + why};
  return std::nullopt;
}

std::vector<ProbedPeer> probed_peers(const Evidence& seen, Outcomes& out) {
  std::vector<ProbedPeer> peers;
  const Reading<ProbeFacts>& facts = seen.now().probes;
  if (probes_are_off(seen.now())) {
    out.not_looked_at("not_configured", "RDMA probes are off", kPeersOption);
    return peers;
  }
  if (!facts) {
    out.unknown(facts.absent());
    return peers;
  }
  if (const auto blocked = why_blocked(seen)) {
    out.unknown(*blocked);
    return peers;
  }
  using Key = std::tuple<std::string, std::string, std::uint32_t>;
  std::map<Key, ProbedPeer> by_port;
  std::map<std::string, std::size_t> ports;  // of a peer
  for (const PeerProbe& probe : facts->peers) {
    if (probe.device != seen.port().device || probe.port != seen.port().port || probe.kind == kConnectionKind) continue;
    const auto [entry, fresh] = by_port.try_emplace(Key(probe.peer, probe.peer_device, probe.peer_port));
    ProbedPeer& peer = entry->second;
    if (fresh) ++ports[probe.peer];
    peer.name = probe.peer;
    if (peer.address.empty()) peer.address = probe.address;
    peer.kinds.push_back(&probe);
  }
  for (const PeerProbe& probe : facts->peers) {
    if (probe.device != seen.port().device || probe.port != seen.port().port || probe.kind != kConnectionKind) continue;
    if (const auto found = by_port.find(Key(probe.peer, probe.peer_device, probe.peer_port)); found != by_port.end())
      found->second.connections = &probe;
  }
  for (auto& [key, peer] : by_port) {
    const auto& [name, device, port] = key;
    if (ports[name] > 1) peer.name += "/" + device + "/" + std::to_string(port);
    peers.push_back(std::move(peer));
  }
  if (peers.empty()) out.not_looked_at("not_configured", "no peer is probed from " + port_of(seen), kPeersOption);
  return peers;
}

FineProbes fine_left_out(const Evidence& seen) {
  if (seen.now().probes)
    for (const FineProbes& fine : seen.now().probes->fine_left_out)
      if (fine.device == seen.port().device && fine.port == seen.port().port) return fine;
  return {};
}

std::string source_of(const Evidence& seen, const ProbedPeer& peer) {
  return "RDMA probes " + port_of(seen) + " to " + peer.name;
}

std::optional<Absent> why_not_sent(const ProbedPeer& peer) {
  std::uint64_t sent = 0, not_sent = 0;
  std::string reason = "no probe could be sent";
  for (const PeerProbe* kind : peer.kinds) {
    sent += kind->sent;
    not_sent += kind->not_sent;
    if (kind->error) reason = *kind->error;
  }
  if (sent > 0 || not_sent == 0) return std::nullopt;
  return Absent{Why::NotPresent,
                "none of " + counted(static_cast<double>(not_sent), "probe") + " could be sent: " + reason};
}

Reading<bool> control_of(const ProbedPeer& peer) {
  Reading<bool> out = Absent{Why::NotPresent, "it was not asked"};
  for (const PeerProbe* kind : peer.kinds)
    if (kind->control_answers && (!out || *kind->control_answers)) out = kind->control_answers;
  return out;
}

bool is_silent(const PeerProbe& probe, std::uint32_t in_row) {
  return probe.lost_in_row >= in_row && !host_may_explain(probe, probe.lost_in_row);
}

std::uint64_t deniable_losses(const PeerProbe& probe) {
  return probe.answered_late;
}

bool host_may_explain(const PeerProbe& probe, std::uint64_t lost) {
  return lost > 0 && deniable_losses(probe) >= lost;
}

bool times_can_be_judged(const Evidence& seen, std::string& why) {
  if (seen.port().function == FunctionKind::Software)
    why = "software RDMA: its times are the host's, not the network's";
  else if (seen.now().host.virtual_machine.value_or(false))
    why = "a virtual machine: its times are the hypervisor's too, not the network's alone";
  else
    return true;
  return false;
}

std::string microseconds(double seconds) {
  return short_number(seconds * 1e6) + " µs";
}

const PeerProbe* with_header(const ProbedPeer& peer, PeerJudgements& said) {
  Absent why{Why::NotPresent, "no answer yet"};
  bool answered = false;
  for (const PeerProbe* kind : peer.kinds) {
    if (kind->traffic_class && kind->traffic_class->seen > 0) return kind;
    if (kind->sent <= kind->lost) continue;
    answered = true;
    why =
        kind->traffic_class ? Absent{Why::NotPresent, "no packet's header was believed"} : kind->traffic_class.absent();
  }
  if (const auto not_sent = why_not_sent(peer))
    said.unknown(peer, *not_sent);
  else if (!answered)
    said.later("no answer from " + peer.name + " yet");
  else
    said.cannot_read(peer, why, "the header of received packets");
  return nullptr;
}

Judgement& PeerJudgements::fail(const ProbedPeer& peer, Severity severity, double weight, std::string sentence,
                                std::vector<EvidenceItem> evidence) {
  Failure& failure = failures_.emplace_back();
  failure.peer = peer.name;
  failure.weight = weight;
  failure.judgement.severity = severity;
  failure.judgement.sentence = std::move(sentence);
  failure.judgement.evidence = std::move(evidence);
  return failure.judgement;
}

Judgement& PeerJudgements::fail_port(Severity severity, std::string sentence, std::vector<EvidenceItem> evidence) {
  Judgement& entry = of_port_.emplace_back();
  entry.severity = severity;
  entry.sentence = std::move(sentence);
  entry.evidence = std::move(evidence);
  return entry;
}

void PeerJudgements::unknown(const ProbedPeer& peer, const Absent& why) {
  if (unknown_++ == 0) why_unknown_ = {why.why, peer.name + ": " + why.detail};
}
void PeerJudgements::unknown_port(const Absent& why) {
  if (unknown_++ == 0) why_unknown_ = why;
}
void PeerJudgements::cannot_read(const ProbedPeer& peer, const Absent& why, const std::string& what) {
  if (why.why != Why::NotSupported) return unknown(peer, why);
  if (never_shown_.empty()) never_shown_ = peer.name + " does not show " + what + ": " + why.detail;
}
void PeerJudgements::insufficient(std::string reason) {
  insufficient_ = true;
  later(std::move(reason));
}
void PeerJudgements::later(std::string reason) {
  if (later_.empty()) later_ = std::move(reason);
}
void PeerJudgements::not_applicable(std::string reason) {
  if (not_applicable_.empty()) not_applicable_ = std::move(reason);
}

void PeerJudgements::write_failures(Outcomes& out) {
  std::sort(failures_.begin(), failures_.end(), [](const Failure& a, const Failure& b) {
    if (a.judgement.severity != b.judgement.severity) return a.judgement.severity > b.judgement.severity;
    if (a.weight > b.weight || b.weight > a.weight) return a.weight > b.weight;
    return a.peer < b.peer;
  });
  const std::size_t passed = passed_ + fine_left_out(seen_).peers;
  const bool there = passed >= 2 && passed > failures_.size();
  const bool perhaps = !there && passed > 0 && passed >= failures_.size();
  const std::string fine =
      (passed == 1 ? " The other peer is" : " The other " + std::to_string(passed) + " peers are") +
      std::string(" fine from here, so the fault ");
  const std::string others = there ? fine + "is probably there." : perhaps ? fine + "may be there." : "";
  const double most = there ? kProbablyThere : kPerhapsThere;
  const auto add = [&](Severity severity, double confidence, std::string sentence,
                       std::vector<EvidenceItem> evidence) -> Judgement& {
    Judgement& entry = out.fail(severity, std::move(sentence), std::move(evidence));
    const bool elsewhere = (there || perhaps) && severity != Severity::Info;
    entry.confidence = elsewhere ? std::min(most, confidence) : confidence;
    return entry;
  };
  if (failures_.size() <= kNamedPeers) {
    for (Failure& failure : failures_) {
      Judgement& said = failure.judgement;
      Judgement& entry = add(said.severity, said.confidence, said.sentence + others, std::move(said.evidence));
      entry.subject.peer = failure.peer;
      entry.subject.path = said.subject.path;
      entry.derived_threshold = said.derived_threshold;
    }
    return;
  }
  std::vector<std::string> names;
  std::vector<EvidenceItem> evidence;
  for (std::size_t k = 0; k < kNamedPeers; ++k) {
    Judgement& said = failures_[k].judgement;
    names.push_back(failures_[k].peer);
    if (!said.evidence.empty()) evidence.push_back(std::move(said.evidence.front()));
  }
  names.push_back(std::to_string(failures_.size() - kNamedPeers) + " more");
  const std::string all = std::to_string(failures_.size()) + " of " +
                          std::to_string(failures_.size() + passed + unknown_) + " peers of " + port_name(seen_) + " " +
                          what_ + ": " + joined(names) + ".";
  const Judgement& worst = failures_.front().judgement;
  add(worst.severity, worst.confidence, all + others, std::move(evidence)).derived_threshold = worst.derived_threshold;
}

void PeerJudgements::write(Outcomes& out) {
  const bool failed = !failures_.empty() || !of_port_.empty();
  for (Judgement& said : of_port_) {
    Judgement& entry = out.fail(said.severity, said.sentence, std::move(said.evidence));
    entry.derived_threshold = said.derived_threshold;
    entry.confidence = said.confidence;
  }
  write_failures(out);
  if (unknown_ > 0 && of_port_.empty() && failures_.size() <= kNamedPeers) {
    Absent why = why_unknown_;
    if (unknown_ > 1) why.detail += " (and " + counted(static_cast<double>(unknown_ - 1), "other peer") + ")";
    out.unknown(why);
  } else if (failed || unknown_ > 0) {
    return;
  } else if (passed_ > 0 && !insufficient_) {
    out.pass();
  } else if (!later_.empty()) {
    out.not_looked_at("longer_window", later_, "wait; the daemon goes on probing");
  } else if (!never_shown_.empty()) {
    out.not_looked_at("never_shown", never_shown_, "");
  } else if (!not_applicable_.empty()) {
    out.not_applicable(not_applicable_);
  } else {
    out.not_looked_at("longer_window", "no probe was answered yet", "wait; the daemon goes on probing");
  }
}

}  // namespace roceready::rules

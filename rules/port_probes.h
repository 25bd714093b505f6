// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// What the probes of one of our ports know of one port of a peer.
struct ProbedPeer {
  std::string name;     ///< "node17:9885"; with its port behind where several ports of this peer are probed from here
  std::string address;  ///< "" where unknown
  std::vector<const PeerProbe*> kinds;  ///< one entry a kind of probe of the mesh, at least one
  /// What the probes of the connection manager ("rdmacm") know: they are rare, go another way into the peer, and count
  /// with none of the others. Null: there are none.
  const PeerProbe* connections = nullptr;
  [[nodiscard]] std::string full_name() const { return address.empty() ? name : name + " (" + address + ")"; }
};

/// Whether no probe results can be had, because nobody probes here or a recording is older than probes: rules on them
/// are outside coverage.
[[nodiscard]] bool probes_are_off(const Snapshot& snapshot);
/// Why this port cannot probe: its own reason, or one of the whole node ("RDMA", "peers": any key that names no port).
/// Asked where there are facts of probes.
[[nodiscard]] std::optional<Absent> why_blocked(const Evidence& seen);
/// The peers that this port probes. Empty: why not was written (off, no peer: not looked at; blocked, unreadable:
/// unknown).
[[nodiscard]] std::vector<ProbedPeer> probed_peers(const Evidence& seen, Outcomes& out);
/// What of this port is fine and was left out of the facts; nothing where all peers are told of.
[[nodiscard]] FineProbes fine_left_out(const Evidence& seen);
/// "RDMA probes mlx5_0/1 to node17:9885".
[[nodiscard]] std::string source_of(const Evidence& seen, const ProbedPeer& peer);
/// Probes to this peer were wanted and none could be sent: nothing is known of it, least of all loss. Its reason.
[[nodiscard]] std::optional<Absent> why_not_sent(const ProbedPeer& peer);
/// Whether the peer answers over HTTP, by any of its kinds; absent where it was not asked since its answers ceased.
[[nodiscard]] Reading<bool> control_of(const ProbedPeer& peer);
/// So many of the newest probes of a kind have no answer, and its host was not late: the matter of probe-unreachable.
inline constexpr std::uint32_t kSilentInRow = 3;
[[nodiscard]] bool is_silent(const PeerProbe& probe, std::uint32_t in_row = kSilentInRow);
/// Losses of the window that the peer's host may explain: it kept the probes past the timeout, and answered. An answer
/// that lay unread here explains none: it is read before a timeout is believed.
[[nodiscard]] std::uint64_t deniable_losses(const PeerProbe& probe);
/// Whether they may be all of this many losses: then that host, not the network, may be to blame.
[[nodiscard]] bool host_may_explain(const PeerProbe& probe, std::uint64_t lost);
inline constexpr char kPeerIsLate[] = "the peer's host answers late, so loss cannot be told from that";
/// Times are taken by NICs or by an undisturbed host. False: software RDMA or a virtual machine, whose times say
/// nothing of a network against limits; `why` is then set.
[[nodiscard]] bool times_can_be_judged(const Evidence& seen, std::string& why);

[[nodiscard]] std::string microseconds(double seconds);  ///< 4e-6: "4 µs"

/// What a rule says of each peer of a port, written as few subjects: at most kNamedPeers findings of a peer each; more
/// are one finding of the port, with the worst named and the others counted. Where most other peers are fine from here,
/// the fault probably lies with the peer, and where half of them are, it may: low confidence, so that one bad node does
/// not condemn all that probe it, be there two or twenty.
class PeerJudgements {
 public:
  static constexpr std::size_t kNamedPeers = 8;
  static constexpr double kProbablyThere = 0.4, kPerhapsThere = 0.6;  ///< heuristic (docs/scoring.md)

  /// `what`: what failing peers have in common, "do not answer RDMA probes".
  PeerJudgements(const Evidence& seen, std::string what) : seen_(seen), what_(std::move(what)) {}
  /// `weight`: the worse, the more.
  Judgement& fail(const ProbedPeer& peer, Severity severity, double weight, std::string sentence,
                  std::vector<EvidenceItem> evidence);
  /// Of the port as a whole.
  Judgement& fail_port(Severity severity, std::string sentence, std::vector<EvidenceItem> evidence);
  void unknown(const ProbedPeer& peer, const Absent& why);
  void unknown_port(const Absent& why);
  /// A fact that the other side's driver can never show (NotSupported) is outside coverage; else unknown.
  void cannot_read(const ProbedPeer& peer, const Absent& why, const std::string& what);
  /// Too little was seen yet; told where nothing else is.
  void later(std::string reason);
  /// Has no such fact, and is none of this rule's business; told where nothing else is.
  void not_applicable(std::string reason);
  void pass() { ++passed_; }
  /// That no peer fails is not enough to pass: too little was seen of all together.
  void insufficient(std::string reason);
  void write(Outcomes& out);

 private:
  struct Failure {
    std::string peer;
    double weight = 0;
    Judgement judgement;
  };
  void write_failures(Outcomes& out);
  const Evidence& seen_;
  std::string what_;
  std::vector<Failure> failures_;
  std::vector<Judgement> of_port_;
  std::size_t passed_ = 0, unknown_ = 0;
  bool insufficient_ = false;
  std::string later_, not_applicable_, never_shown_;
  Absent why_unknown_;  // of the first, with its name
};

/// The first kind of probe whose packets' IP headers the peer saw and believed. Null: why not was noted.
[[nodiscard]] const PeerProbe* with_header(const ProbedPeer& peer, PeerJudgements& said);

}  // namespace roceready::rules

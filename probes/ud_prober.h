// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "probes/late_replies.h"
#include "probes/loss_sides.h"
#include "probes/thread_delay.h"
#include "probes/timing.h"
#include "probes/verbs/verbs.h"
#include "probes/window_statistics.h"
#include "probes/wire.h"

namespace roceready::probes {

inline constexpr std::int64_t kProbeTimeoutNs = 500'000'000;
/// Range of what may be set instead.
inline constexpr std::int64_t kLeastTimeoutNs = 10'000'000, kMostTimeoutNs = 10'000'000'000;

/// How to reach one port of a peer in one session.
struct UdTarget {
  std::uint64_t session = 0;
  SessionKey key{};
  std::vector<verbs::AddressHandle> addresses;  ///< path p takes p modulo their number; at least 1. Not owned
  std::vector<std::uint32_t> peer_queue_pairs;  ///< the same
  std::uint32_t peer_qkey = 0;
  std::uint8_t traffic_class = 0;               ///< as the addresses have it
  std::uint32_t small_bytes = kLargestMessage;  ///< losses of probes up to this size are told apart by side
  bool one_reply = false;  ///< the session is not authenticated: the second reply comes alone, timed by software
};

/// The fate of one probe.
struct ProbeOutcome {
  enum class Kind {
    Answered,  ///< `timing` says how fast
    Untimed,   ///< answered in time, but without times that make sense: `why`
    Lost,      ///< no first reply within the timeout
    NotSent,   ///< `why`: says nothing of the network
    /// A second outcome of a probe that was Lost: a reply came within LateReplies::kAwaitedNs.
    AnsweredLate,
  };
  Kind kind = Kind::Lost;
  std::uint32_t target = 0, path = 0, size = 0;
  std::int64_t posted_ns = 0;  ///< when it was handed to the NIC
  ProbeTiming timing;
  bool late = false;  ///< this host came late to the reply
  /// Whether the round trip of an answer is the network's: by the software clock, no host came late.
  [[nodiscard]] bool rtt_counts() const { return (!late || timing.clock == ProbeClock::Nic) && !timing.responder_late; }
  std::optional<SeenClass> seen;  ///< absent: the responder could not believe the header, or no reply
  std::uint64_t peer_digest = 0;  ///< 0: unknown
  bool arrivals_counted = false;  ///< the peer's replies tell how many probes arrived
  LostSides known;                ///< of this session's losses: those whose side became known by this probe's end
  /// Of AnsweredLate: the peer's host, as it says, kept the probe for so long that without it the answer would have
  /// been in time (`timing.responder_delay_ns`, the most that it can be); and what `known` had said of this probe,
  /// wrongly.
  bool peer_kept_it = false;
  LostSides known_wrongly;
  /// Of Lost: the peer's NIC answered that its host had posted no receive in time. The path carries.
  bool host_not_ready = false;
  std::string why;
};

/// Sends datagram probes over one Ud and follows each to its end: a reply, a second reply with the responder's delay,
/// or the timeout; and some time beyond that, since only a reply tells whether a host or the network took so long.
/// Knows nothing of schedules, budgets or statistics. Threads: one. Limits: as many open probes as the Ud has send
/// slots and callers send within a timeout.
class UdProber {
 public:
  using Sink = std::function<void(const ProbeOutcome&)>;
  /// Both outlive the prober.
  UdProber(verbs::Ud& ud, const verbs::Verbs& clock, std::int64_t timeout_ns = kProbeTimeoutNs)
      : ud_(ud), clock_(clock), timeout_ns_(timeout_ns), gap_(clock) {}

  /// A target that is known under the number, or the session, is replaced; its open probes are forgotten, late replies
  /// to those of the same number that were lost are not.
  void open(std::uint32_t target, const UdTarget& how);
  void close(std::uint32_t target);
  /// Sends a probe of `size` bytes (kHeaderBytes to the Ud's payload). An error: it was not sent, and no outcome
  /// follows.
  Result<void> probe(std::uint32_t target, std::uint32_t path, std::uint32_t size, std::uint64_t own_digest);
  /// Takes what has come, then gives up what is over its time: a reply that lay unread is never a loss.
  /// `late_ns`: what the caller knows of this thread's being late, beyond its waiting for a CPU. An error: the device
  /// is gone. Else: whether something came.
  Result<bool> step(std::int64_t late_ns, const Sink& sink);
  /// When step() has to be called at the latest; nothing is open: absent.
  [[nodiscard]] std::optional<std::int64_t> deadline_ns() const;
  [[nodiscard]] std::size_t open_probes(std::uint32_t target) const;
  /// Ends all open probes as NotSent.
  void abandon(const std::string& why, const Sink& sink);

  using Refusals = std::array<std::uint64_t, static_cast<std::size_t>(Refusal::kCount)>;
  [[nodiscard]] const Refusals& refusals() const { return refusals_; }
  /// Answers with impossible times, by reason.
  using Discards = std::array<std::uint64_t, static_cast<std::size_t>(Impossible::kCount)>;
  [[nodiscard]] const Discards& discards() const { return discards_; }

 private:
  struct OpenProbe {
    std::uint64_t sequence = 0;
    std::uint32_t path = 0, size = 0;
    std::int64_t posted_ns = 0, polled_ns = 0;
    std::optional<std::int64_t> left_nic_ns, came_nic_ns;
    bool departed = false, first = false, second = false, late = false, responder_late = false;
    std::uint64_t responder_delay_ns = 0, peer_digest = 0;
    std::optional<std::uint32_t> arrived;
    std::optional<SeenClass> seen;
  };
  struct State {
    UdTarget how;
    std::uint64_t next_sequence = 1;
    std::deque<OpenProbe> open;  // by sequence
    LossSides sides;
  };
  struct Expiry {
    std::int64_t at_ns;
    std::uint32_t target;
    std::uint64_t session, sequence;
  };
  using Targets = std::unordered_map<std::uint32_t, State>;

  static OpenProbe* find(State& state, std::uint64_t sequence);
  void drop(std::uint32_t target);
  void departed(const verbs::Completion& completion, const Sink& sink);
  void received(const verbs::Completion& completion, std::int64_t polled_ns, bool late, const Sink& sink);
  void received_late(std::uint64_t session, const LateReplies::Session& of, const verbs::Completion& completion,
                     std::int64_t polled_ns, const Sink& sink);
  void take_late(std::uint64_t session, std::uint32_t target, const Message& reply, std::int64_t polled_ns,
                 const Sink& sink);
  void take(const Message& reply, const verbs::Completion& completion, OpenProbe& probe, const State& state,
            std::int64_t polled_ns, bool late);
  void finish_if_whole(std::uint32_t target, State& state, std::uint64_t sequence, const Sink& sink);
  void conclude(std::uint32_t target, State& state, std::uint64_t sequence, ProbeOutcome outcome, const Sink& sink);
  ProbeOutcome judge(const OpenProbe& probe);
  void refuse(Refusal refusal) { ++refusals_[static_cast<std::size_t>(refusal)]; }
  void expire(std::int64_t now_ns, const Sink& sink);

  verbs::Ud& ud_;
  const verbs::Verbs& clock_;
  const std::int64_t timeout_ns_;
  PollGap gap_;
  Targets targets_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_session_;
  std::deque<Expiry> expiries_;  // all probes have one timeout: in order
  LateReplies late_replies_;
  Refusals refusals_{};
  Discards discards_{};
};

}  // namespace roceready::probes

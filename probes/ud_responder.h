// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "probes/budget.h"
#include "probes/grh.h"
#include "probes/replay_window.h"
#include "probes/thread_delay.h"
#include "probes/verbs/verbs.h"
#include "probes/wire.h"

namespace roceready::probes {

/// Who may ask, and where the replies go: from the session exchange, never from a packet.
struct UdClient {
  SessionKey key{};
  std::vector<verbs::AddressHandle> addresses;  ///< path p takes p modulo their number; at least 1. Not owned
  std::vector<std::uint32_t> queue_pairs;       ///< the same
  std::uint32_t qkey = 0;
  std::uint64_t probes_per_second = 10;
  std::uint64_t digest = 0;                 ///< our own, as the replies carry it
  std::uint32_t largest = kLargestMessage;  ///< payload bytes of a probe on demand; larger ones are not answered
  bool on_demand = false;  ///< may be refused for want of budget; a mesh is bounded by probes_per_second alone
  bool one_reply = false;  ///< without authentication: no more bytes and packets than were received
};

/// Answers datagram probes that come to one Ud. Checks, in this order and before any work: session, MAC, type, replay,
/// rates. A reply is never larger than its probe; the second has a header's size. Whoever gets one reply gets the
/// second, at the probe's size, with the delay up to its posting by the host's clock. Threads: one.
class UdResponder {
 public:
  /// All outlive the responder. `probes_per_second`: over all sessions on demand. `budget`: pays for the replies; null:
  /// none.
  UdResponder(verbs::Ud& ud, const verbs::Verbs& clock, std::uint64_t probes_per_second, Budget* budget = nullptr);

  void open(std::uint64_t session, const UdClient& client);
  void close(std::uint64_t session);
  /// Our digest changed: later replies of all sessions say so.
  void set_digest(std::uint64_t digest);
  /// Answers all that has come. `late_ns`: what the caller knows of this thread's being late, beyond its waiting for a
  /// CPU. Being late counts as the responder's delay, not as the network's; beyond kLateNs the reply says so. An error:
  /// the device is gone. Else: how many messages came.
  Result<std::size_t> step(std::int64_t late_ns);
  /// When the session last sent something valid; 0: never.
  [[nodiscard]] std::int64_t last_heard_ns(std::uint64_t session) const;

  struct Counts {
    std::array<std::uint64_t, static_cast<std::size_t>(Refusal::kCount)> refused{};
    std::uint64_t answered = 0, over_rate = 0, not_sent = 0;
    Counts& operator+=(const Counts& other);
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Valid probes since the start by the DSCP with which they came, and those whose header was not believed.
  struct Arrived {
    std::array<std::uint64_t, 64> by_dscp{};
    std::uint64_t unseen = 0;
  };
  [[nodiscard]] const Arrived& arrived() const { return arrived_; }

 private:
  struct Session {
    explicit Session(const UdClient& who) : client(who), rate(who.probes_per_second, burst(who.probes_per_second)) {}
    static std::uint64_t burst(std::uint64_t per_second) { return per_second / 4 + 4; }
    UdClient client;
    ReplayWindow window;
    TokenBucket rate;
    std::int64_t last_heard_ns = 0;
    std::uint32_t arrived = 0;  ///< valid probes
  };
  /// A first reply on its way: the second waits for the moment when it left the NIC.
  struct Waiting {
    std::uint64_t session = 0;
    Message second;
    std::int64_t received_nic_ns = 0;
  };
  void received(const verbs::Completion& completion, std::int64_t now_ns, std::int64_t late_ns);
  [[nodiscard]] bool affordable(const UdClient& client, std::uint32_t probe_bytes, std::int64_t now_ns);
  void answer(std::uint64_t id, Session& session, const Message& probe, const Grh& grh,
              const verbs::Completion& completion, std::int64_t received_ns, bool late);
  void departed(const verbs::Completion& completion);
  Result<void> send(const Session& session, const Message& message, std::uint64_t id, std::int64_t* posted_ns);
  void refuse(Refusal refusal) { ++counts_.refused[static_cast<std::size_t>(refusal)]; }

  verbs::Ud& ud_;
  const verbs::Verbs& clock_;
  PollGap gap_;
  TokenBucket all_;
  Budget* budget_;
  std::unordered_map<std::uint64_t, Session> sessions_;
  std::unordered_map<std::uint64_t, Waiting> waiting_;  // by send id; at most as many as there are send slots
  std::uint64_t next_send_ = 1;
  Counts counts_;
  Arrived arrived_;
  /// What the newest messages took to be encoded and signed, and the least of it. A reply that comes alone says how
  /// long the host took before that can be measured: the least that it takes is the host's, not the network's.
  std::array<std::int64_t, 8> encoding_ns_{};
  std::size_t encoded_ = 0;
  [[nodiscard]] std::int64_t least_encoding_ns() const;
};

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "probes/budget.h"
#include "probes/cm/manager.h"
#include "probes/verbs/verbs.h"
#include "probes/wake.h"
#include "probes/wire.h"

namespace roceready::probes {

/// A port of ours at which connections are accepted.
struct CmPlace {
  verbs::Gid own{};                 ///< address
  std::weak_ptr<verbs::Port> port;  ///< of queue pairs for them
  verbs::KernelPort at;             ///< the same
  std::stop_token closing;          ///< asked for: that port is to be let go at once
};

/// Accepts the connections that the meshes of peers make with the connection manager, and nobody else's: a request must
/// carry the id of a session that was granted, a number above that of its last one, and the MAC of its key. An
/// acceptance is as long as its request. A listener is opened with the first session that it is offered to and closed
/// with the last, or with its port; one that failed is opened again, on its own number while that is free, since peers
/// know that one. Threads: offer, forget and status from any; step from one; one of its own between begin and end, from
/// the first offer on. forget never waits; offer waits for a driver, or a second for one that hangs.
/// Limits: strangers 5 a second; when there are more, that listener hears nobody for a second, and nothing of it is
/// booked on the budget of probes.
class CmResponder {
 public:
  /// All outlive the responder; `budget` may be null.
  CmResponder(cm::Manager& manager, const verbs::Verbs& clock, Budget* budget)
      : manager_(manager), clock_(clock), budget_(budget) {}
  ~CmResponder();

  /// Lets a session connect to this address of ours until it ends: the service to be told to the prober; nothing where
  /// none can be offered.
  [[nodiscard]] std::optional<std::uint16_t> offer(const CmPlace& place, std::uint64_t session, const SessionKey& key,
                                                   std::int64_t ends_ns);
  void forget(std::uint64_t session);
  /// One round: answers what has come, ends what is over.
  void step();
  /// A thread of its own does the steps, as soon as there is a listener.
  void begin();
  void end();

  struct Status {
    std::size_t listeners = 0, sessions = 0, threads = 0;
    std::uint64_t accepted = 0, refused = 0;
    std::uint64_t pauses = 0;  ///< for strangers
    std::string problem;       ///< why the newest listener could not be opened, "" if it could
  };
  [[nodiscard]] Status status() const;

 private:
  struct Session {
    SessionKey key{};
    verbs::Gid own{};
    std::uint64_t last_attempt = 0;
    std::int64_t ends_ns = 0;
  };
  struct Listening {
    CmPlace place;
    std::unique_ptr<cm::Listener> listener;  ///< null: it failed, and is to be opened again
    std::uint16_t service = 0;               ///< that it had last
    std::int64_t retry_ns = 0, unused_since_ns = 0, paused_until_ns = 0;
  };
  [[nodiscard]] std::optional<cm::Acceptance> answer(Listening& entry, ByteSpan told);
  [[nodiscard]] std::optional<std::vector<std::byte>> acceptance(const verbs::Gid& own, ByteSpan told);
  [[nodiscard]] bool in_use(const verbs::Gid& own, std::int64_t now_ns);
  bool open(Listening& entry, std::int64_t now_ns);
  void count();
  void step(Listening& entry, std::int64_t now_ns);
  void note_problem(const std::string& problem);
  void work(const std::stop_token& stop);
  [[nodiscard]] int arm(WakeSet& wake);

  cm::Manager& manager_;
  const verbs::Verbs& clock_;
  Budget* const budget_;
  std::timed_mutex listening_lock_;  // of the next ones; held while the manager is called; taken before sessions_lock_
  std::map<verbs::Gid, Listening> listening_;
  TokenBucket strangers_{5, 10};
  bool began_ = false;
  std::unique_ptr<WakeUp> wake_up_;  // with the thread
  std::jthread thread_;
  mutable std::mutex sessions_lock_;  // of the rest; never held while the manager or a driver is called
  std::map<std::uint64_t, Session> sessions_;
  Status status_;
};

}  // namespace roceready::probes

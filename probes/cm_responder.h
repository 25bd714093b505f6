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
#include "probes/cm_message.h"
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

/// What a session may connect to.
struct CmOffer {
  std::optional<std::uint16_t> service;  ///< to be told to the prober; nothing: none can be offered
  bool not_now = false;                  ///< none, but for a reason that may be over soon
};

/// Accepts the connections that the meshes of peers make with the connection manager, and nobody else's: a request must
/// carry the id of a session that was granted, a number above that of its last one, and the MAC of its key. What
/// carries all but comes too soon, too late, again, or where there is no room or queue pair is refused with a MAC of
/// that key, so that its caller knows by whom; strangers without a word. An answer is as long as a request. A listener
/// is opened with the first session that it is offered to and closed with the last, or with its port; one that failed
/// is opened again, on its own number only while a session knows that one. Threads: offer, forget and status from any;
/// step from one; one of its own between begin and end, from the first offer on. forget never waits; offer waits for a
/// driver, or a second for one that hangs.
/// Limits: one acceptance of a session in ten seconds, which is how long it takes one of the 64 places of a listener at
/// most; 16 calls of a listener each ten milliseconds. Strangers are heard as fast as sessions are: those whom nobody
/// hears fill the kernel's backlog, and what comes then is lost. The CPU of rounds that refused somebody is not booked
/// on the budget of probes.
class CmResponder {
 public:
  /// All outlive the responder; `budget` may be null.
  CmResponder(cm::Manager& manager, const verbs::Verbs& clock, Budget* budget)
      : manager_(manager), clock_(clock), budget_(budget) {}
  ~CmResponder();

  /// Lets a session connect to this address of ours until it ends.
  [[nodiscard]] CmOffer offer(const CmPlace& place, std::uint64_t session, const SessionKey& key, std::int64_t ends_ns);
  void forget(std::uint64_t session);
  /// One round: answers what has come, ends what is over.
  void step();
  /// A thread of its own does the steps, as soon as there is a listener.
  void begin();
  void end();

  struct Status {
    std::size_t listeners = 0, sessions = 0, threads = 0;
    std::uint64_t accepted = 0, refused = 0;
    std::string problem;  ///< why the newest listener could not be opened, "" if it could
  };
  [[nodiscard]] Status status() const;

 private:
  struct Session {
    SessionKey key{};
    verbs::Gid own{};
    std::uint64_t last_attempt = 0;
    std::int64_t ends_ns = 0;
    std::int64_t next_ns = 0;  ///< when another may be accepted
  };
  /// One whose request is of a session.
  struct Caller {
    SessionKey key{};
    CmMessage request;
    bool welcome = false;  ///< neither too soon nor too late, and not again
  };
  struct Listening {
    CmPlace place;
    std::unique_ptr<cm::Listener> listener;  ///< null: it failed, and is to be opened again
    std::uint16_t service = 0;               ///< that it had last
    std::int64_t retry_ns = 0, unused_since_ns = 0;
  };
  [[nodiscard]] Listening* listening_at(const CmPlace& place);
  [[nodiscard]] cm::Reply answer(const Listening& entry, ByteSpan told, bool has_room);
  [[nodiscard]] std::optional<Caller> hear(const verbs::Gid& own, ByteSpan told, std::int64_t now_ns);
  [[nodiscard]] bool in_use(const verbs::Gid& own, std::int64_t now_ns);
  [[nodiscard]] Result<void> open(Listening& entry, std::int64_t now_ns);
  void count();
  void step(Listening& entry, std::int64_t now_ns);
  void note_problem(const std::string& problem);
  void work(const std::stop_token& stop);
  [[nodiscard]] int arm(WakeSet& wake);

  cm::Manager& manager_;
  const verbs::Verbs& clock_;
  Budget* const budget_;
  std::mutex listening_lock_;  // of the next ones; held while the manager is called; taken before sessions_lock_
  std::map<verbs::Gid, Listening> listening_;
  bool began_ = false;
  std::unique_ptr<WakeUp> wake_up_;  // with the thread
  std::jthread thread_;
  mutable std::mutex sessions_lock_;  // of the rest; never held while the manager or a driver is called
  std::map<std::uint64_t, Session> sessions_;
  Status status_;
};

}  // namespace roceready::probes

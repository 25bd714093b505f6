// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/cm_responder.h"
#include "probes/driver_calls.h"
#include "probes/exchange.h"
#include "probes/mtu_watch.h"
#include "probes/probe_port.h"
#include "probes/rc_prober.h"
#include "probes/ud_responder.h"
#include "probes/wake.h"

namespace roceready::probes {

struct ResponderOptions {
  std::vector<std::byte> secret;  ///< empty: on-demand probes only
  NodeLabels labels;
  std::uint8_t service_level = 0;             ///< of the replies, at first
  std::uint32_t queue_pairs = 4;              ///< datagram queue pairs a port: as many ways back
  std::uint32_t expected_peers = 64;          ///< who may probe us: sizes the receive rings
  std::uint64_t probes_per_second = 100'000;  ///< answered on demand in all, a port
  /// What answering shares with a mesh; null: none. Sessions on demand are then granted half of its messages and bytes
  /// a second in all, by the size that they may send: the first at a time half of that, each further one a part of what
  /// is left, so that none loses a probe to another. One that was not heard for two seconds needs none.
  std::shared_ptr<Budget> budget;
  std::size_t most_sessions = 0;  ///< 0: eight for each port of ours and expected peer, 8192 to 65536
  std::size_t most_unauthenticated = 16;
  std::size_t most_rc_sessions = 0;                     ///< 0: six for each port of ours and expected peer, 384 to 6144
  std::function<bool(const verbs::PortName&)> may_use;  ///< empty: every port. Asked every second; any thread
  /// With which meshes of peers may connect, besides the sessions' own probes; null: none. Outlives the responder.
  cm::Manager* manager = nullptr;
};

/// A session that was granted.
struct SessionReply {
  std::string body;            ///< of the answer
  bool authenticated = false;  ///< the request was signed with the shared secret
  bool fills_line = false;     ///< it is to measure bandwidth
};
/// Why a session was refused, as the HTTP handler says it.
struct SessionRefusal {
  int http_status = 400;
  std::string why;
};

/// Answers probes of peers. Ports are opened when the first session needs them and closed when the last has ended,
/// since an open device can hold up the unloading of its driver. One whose MTU changed is closed too.
///
/// Threads: answer, set_digest, arrivals and status from any; run, or step and look_at_mtus, from one each. The lock is
/// held for a step or for entering a session, never while a neighbour is being resolved or something is closed. A
/// driver that hangs holds up the thread that called it and few others: who cannot have the lock within a moment
/// refuses the session or tells what was known before, set_digest never waits, and half of the HTTP server's threads at
/// most are within a driver.
/// Limits: sessions by number, lifetime and idleness; new sessions without authentication 5 a second. Of a connection
/// nobody hears whether it is used, so of one kind (and of those on demand apart) the newest two of a prober's port
/// stay: two, since the mesh may know this node by two names, and since the old one is in use until the answer has
/// arrived. Without authentication replies go only to the address that asked, one to a probe and no larger than it. A
/// connection is answered by the NIC, without us: without authentication it has one queue pair and a buffer so small
/// that reading it brings no more than asking for it. Bandwidth is measured only for who knows the shared secret, one
/// prober at a time and for some seconds; the same prober's older measurement ends with its new one.
class Responder {
 public:
  /// The verbs outlive the responder.
  Responder(verbs::Verbs& verbs, ResponderOptions options);
  ~Responder();

  /// Body of POST /api/v1/probe/session → body of the answer. `remote`: the IP address that the request came from, as
  /// text, an IPv4 one mapped to IPv6 or not; "" where it is not known. May wait about a second for the peer's
  /// neighbour entry.
  [[nodiscard]] std::variant<SessionReply, SessionRefusal> answer(std::string_view body, const std::string& remote);
  /// What peers are told of this node; replies carry its hash from the next step on. Never waits.
  void set_digest(const NodeDigest& digest);
  /// Of the replies in sessions to come. Peers hear of it as of another digest, and ask for new ones. Never waits.
  void set_service_level(std::uint8_t level);
  /// Polls until stopped: busily while poll_busily() says so, else woken by completions.
  void run(const std::stop_token& stop);
  /// One round: answers what has come, ends what is over. For how long this thread was late, ns.
  void step(std::int64_t late_ns);

  /// One round of what accepts connections; run() does it on a thread of its own.
  void step_connections();

  /// Asks open ports whose turn it is for their MTU; run() does it on a thread of its own.
  void look_at_mtus() { mtus_.look(); }

  /// Whether a valid probe of a session on demand came within the last second. A session alone keeps no core busy.
  [[nodiscard]] bool busy(std::int64_t now_ns) const;
  /// Whether to poll busily until the next call: while busy(), for those who know no secret ten seconds at first and a
  /// sixth of the time in the long run. What they send beyond is answered when it wakes this thread. Thread: that of
  /// step.
  [[nodiscard]] bool poll_busily(std::int64_t now_ns);

  struct Status {
    std::size_t sessions = 0, rc_sessions = 0, unauthenticated = 0, open_ports = 0;
    std::uint64_t accepted = 0, denied = 0;     ///< sessions since the start
    UdResponder::Counts messages;               ///< of the ports that are or were open
    std::map<std::string, std::string> failed;  ///< ports that were lost, and why
    CmResponder::Status connections;            ///< by the connection manager
  };
  /// What was known the time before where the lock cannot be had within a moment; so of arrivals().
  [[nodiscard]] Status status() const;
  /// Probes that arrived in the last 20 to 25 s, of ports that answer.
  [[nodiscard]] std::vector<ProbeArrivals> arrivals() const;

 private:
  struct Serving;
  struct Session;
  class Entrance;
  struct Ended {  // closed without the lock: sessions first
    std::vector<std::shared_ptr<Serving>> servings;
    std::vector<std::unique_ptr<Session>> sessions;
  };
  struct Candidate {
    verbs::PortName name;
    verbs::PortFacts facts;
  };
  using Refused = SessionRefusal;
  [[nodiscard]] Refused refuse(int http_status, std::string why);
  [[nodiscard]] bool in_use(std::uint64_t id, const Session& session, const SessionRequest& by,
                            std::int64_t now_ns) const;
  void offer_connections(const SessionRequest& request, const std::shared_ptr<Serving>& serving, const SessionKey& key,
                         SessionAnswer& answer);
  [[nodiscard]] Result<double> grant(const SessionRequest& request) const;
  [[nodiscard]] std::optional<Refused> admit(const SessionRequest& request, const std::string& remote);
  /// Of kind bandwidth; the lock is held.
  [[nodiscard]] std::optional<Refused> refuse_bandwidth(const SessionRequest& request);
  [[nodiscard]] const Session* measuring_for_others(const SessionRequest& request) const;
  [[nodiscard]] Result<void> make_room_to_measure(const SessionRequest& request, Ended& ended);
  [[nodiscard]] std::size_t most_sessions() const;
  [[nodiscard]] std::size_t most_rc_sessions() const;
  [[nodiscard]] Result<std::shared_ptr<Serving>> serving_for(const SessionRequest& request);
  [[nodiscard]] Result<std::shared_ptr<Serving>> open_serving(const verbs::PortName& name, const verbs::Gid& like);
  [[nodiscard]] Result<std::vector<Candidate>> candidates();
  [[nodiscard]] std::vector<verbs::PortName> rank(const std::vector<Candidate>& among,
                                                  const SessionRequest& request) const;
  Result<void> equip_ud(Session& session, const SessionRequest& request, Endpoint& endpoint);
  Result<void> equip_rc(Session& session, const SessionRequest& request, Endpoint& endpoint);
  [[nodiscard]] Result<void> enter(std::uint64_t id, std::unique_ptr<Session> session, const SessionRequest& request,
                                   const SessionKey& key);
  void end_replaced(const SessionRequest& request, Ended& ended);
  void end_superseded(Ended& ended);
  void end_old_sessions(std::int64_t now_ns, Ended& ended);
  void end_session(std::map<std::uint64_t, std::unique_ptr<Session>>::iterator session, Ended& ended);
  [[nodiscard]] bool excluded(const verbs::PortName& name) const;
  [[nodiscard]] std::uint64_t telling() const;
  void take_digest();
  /// Of a session of kind rc-send, where the last ones were used.
  static void post_receives(Session& session);
  void look_at_scope(std::int64_t now_ns);
  void look_after(std::int64_t now_ns, Ended& ended);
  void watch_events(Serving& serving);
  void mark_arrivals(std::int64_t now_ns);
  void drop_serving(const std::string& name, const std::string& why, Ended& ended);
  enum class Busy { No, Strangers, Known };
  [[nodiscard]] Busy busy_for(std::int64_t now_ns) const;
  [[nodiscard]] bool wait_for_work(WakeSet& wake, int timeout_ms);

  verbs::Verbs& verbs_;
  const ResponderOptions options_;
  const std::unique_ptr<CmResponder> cm_;  // null: none
  mutable std::mutex lock_;                // of all below but what has a lock of its own; held while a driver is called
  mutable std::atomic<int> wanting_{0};    // threads that want the lock: the busy poller lets them in
  mutable std::atomic<bool> stuck_{false};  // somebody waited for the lock in vain, and no step has begun since
  DriverCalls calls_{DriverCalls::Limits{}};
  std::atomic<std::uint8_t> service_level_;
  std::atomic<std::uint64_t> accepted_{0}, denied_{0};
  std::mutex opening_;
  std::vector<Candidate> candidates_;
  std::int64_t candidates_until_ns_ = 0;
  std::atomic<std::size_t> port_count_{1};
  std::map<std::string, std::shared_ptr<Serving>> servings_;
  MtuWatch mtus_;  // has a lock of its own
  std::map<std::uint64_t, std::unique_ptr<Session>> sessions_;
  std::set<std::uint64_t> on_demand_, replacing_;  // of sessions_: on demand; in the place of one that is not over yet
  SeenNonces nonces_;
  TokenBucket strangers_{5, 10};
  mutable std::mutex digest_lock_;
  NodeDigest digest_;
  std::uint64_t digest_hash_ = 0;  // 0: there is none yet
  std::uint64_t told_hash_ = 0;    // what the engines say; of lock_
  mutable std::mutex published_lock_;
  mutable Status published_;  // as status() and arrivals() said last
  mutable std::vector<ProbeArrivals> published_arrivals_;
  std::int64_t looked_after_ns_ = 0, swept_ns_ = 0, scope_seen_ns_ = 0;
  Status past_;  // counts of what is closed
  WakeUp wake_up_;
  TokenBucket strangers_polling_{1'000'000 / 6, 10'000'000};  // microseconds
  bool polls_for_strangers_ = false;
  std::int64_t polling_asked_ns_ = 0;
};

}  // namespace roceready::probes

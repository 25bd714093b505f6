// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/baselines.h"
#include "probes/budget.h"
#include "probes/mtu_watch.h"
#include "probes/peer_channel.h"
#include "probes/probe_port.h"
#include "probes/rtt_histograms.h"
#include "probes/ud_prober.h"
#include "probes/wake.h"
#include "probes/window_statistics.h"

namespace roceready::probes {

class RcProber;
struct CmTarget;

struct MeshOptions {
  std::vector<std::byte> secret;
  NodeLabels labels;
  TravelClass in_class;                    ///< at first
  std::uint32_t size = 64;                 ///< payload of small probes, 64–1024
  std::uint32_t paths = 4;                 ///< 1–16 queue pairs a port
  std::int64_t interval_ns = 500'000'000;  ///< between two datagram probes to a port of a peer, at least 100 ms
  /// Until a probe counts as lost: 10 ms to 10 s. The statistics hold times up to 4.29 s, longer ones count as that.
  std::int64_t timeout_ns = kProbeTimeoutNs;
  std::uint32_t full_every = 4;      ///< each so manieth probe has the size of the path MTU; 0: none
  std::vector<ProbeKind> connected;  ///< kinds of connected probes, none by default
  std::int64_t connected_interval_ns = 10'000'000'000;
  std::shared_ptr<Budget> budget;                       ///< a target is a port of a peer; null: one of its own
  WindowLimits window;                                  ///< `paths` is set by the mesh
  std::function<bool(const verbs::PortName&)> may_use;  ///< empty: every port. Asked every ten seconds; any thread
  std::uint32_t fetchers = 4;                           ///< threads that ask peers for sessions
};

/// Probes each of this node's ports against each peer, for as long as it runs, and keeps the results of the last
/// windows.
///
/// Shape: a link is one kind of probe between one of our ports and the port that a peer answers with. Links without a
/// session wait in a queue; fetchers ask the peer and resolve its address, since both may take seconds; the engine
/// takes their results in its next step and does nothing that waits.
/// Whether a peer answers over HTTP is known by asking it for sessions. While probes are lost only a question counts
/// that was asked after the first of these losses: an older answer says nothing of a host that died since. That it
/// answers counts when a session made since then has lost a probe too, or none could be made: till then the peer may
/// have restarted. Two timeouts in a row fetch the session anew, backing off from 1 s to 30 s while it does not help.
/// Another digest hash in a reply fetches a session too, one for all links of a peer and every ten seconds at most.
/// A kind that not every version answers is tried once the peer has said that it does, with its first session of
/// another. A peer is asked one question at a time; while it is silent one question answers all its links until the
/// next is due, and of the fetchers one is always left to peers that answered when they were asked last. A peer that is
/// not ready yet, as it says, is asked again within five seconds. When two datagrams in a row are lost, the connected
/// probes to the same port are sent at once and not in their turn, once for each silence, backing off from 1 s to their
/// interval: what the NIC answers without its host tells a dead path from a dead responder. Another class of ours, and
/// another service level of a peer's replies, reach sessions that exist by sessions made anew, 50 a second at most.
/// A port whose MTU changed is opened anew, with other links: what it lost meanwhile is its own.
/// Threads: set_peers, set_digest, set_class and facts from any; step and look_at_mtus from one each; fetch_one from
/// any. Limits: own probes keep to the budget; what it holds back is `not_sent`.
class Mesh {
 public:
  /// The verbs and the channel outlive the mesh. `baselines`: what an earlier mesh learned, kMostBaselines at most,
  /// with times of the same clock.
  Mesh(verbs::Verbs& verbs, PeerChannel& channel, MeshOptions options, std::vector<LinkBaseline> baselines = {});
  ~Mesh();

  /// The peers to probe: already merged, chosen, without ourselves. Links of others end.
  void set_peers(const std::vector<PeerAddress>& peers);
  void set_digest(const NodeDigest& digest);
  /// In which class the probes leave: each link asks its peer for a session anew, since replies have it too, and
  /// probes in the old class until it has one.
  void set_class(const TravelClass& in_class);
  /// Probes until stopped, with fetchers of its own.
  void run(const std::stop_token& stop);
  /// One round: sends what is due and takes what has come. For how long this thread was late, ns.
  void step(std::int64_t late_ns);
  /// As step(), and asks that `wake`, which is filled anew, wakes for whatever is awaited behind it. Nothing that came
  /// before that was asked for lies unread afterwards.
  void step_and_arm(std::int64_t late_ns, WakeSet& wake);
  /// When step() is due at the latest.
  [[nodiscard]] std::int64_t next_step_ns() const;
  /// Fetches one session that is wanted; false: none was.
  bool fetch_one();
  /// Asks open ports whose turn it is for their MTU; run() does it on a thread of its own.
  void look_at_mtus() { mtus_.look(); }
  /// What was known at the engine's last turn; the times of a link are older by two seconds at most, with more than 400
  /// links by 5 ms for each of them; its losses are not.
  /// Waits for the engine up to a fifth of a second; one that is held up longer, as by a driver that hangs, gives the
  /// facts of the call before. An engine that takes no turn any more says the same for ever, and so does
  /// `running_seconds`.
  [[nodiscard]] ProbeFacts facts() const;
  /// What the connection manager's probes may connect to, and what is known of its datagrams: the ports of peers with
  /// which they have, or had, a session. Waits for the engine.
  [[nodiscard]] std::vector<CmTarget> cm_targets() const;
  /// What is known of calm round trips, for a later mesh: of the links, and what was given and is not used yet; the
  /// newest first. Waits for the engine as facts() does; nothing where it is held up.
  [[nodiscard]] std::optional<std::vector<LinkBaseline>> baselines() const;
  /// Budget spent since the start, by what was sent; refused replies and answers with impossible times, by reason.
  /// The latter two wait for the engine.
  [[nodiscard]] Budget::Spent spent() const;
  [[nodiscard]] UdProber::Refusals refusals() const;
  [[nodiscard]] UdProber::Discards discards() const;

 private:
  struct OpenPort;
  struct Link;
  struct Fetch;
  struct Fetched;
  struct Known {  // of a peer's digest
    NodeDigest digest;
    std::uint64_t hash = 0;                      // of it and the level, as replies tell it
    std::optional<std::uint32_t> service_level;  // of the replies of newer sessions
    std::vector<ProbeKind> kinds;                // that it answers; empty: it was not asked yet
    std::uint64_t asked_for = 0;                 // heard, and asked for since
    std::uint64_t other_hash = 0;  // heard of the same digest: a newer version hashes more than we can read
    std::int64_t asked_ns = 0, said_ns = 0;
    std::map<std::string, std::int64_t> carrier_lost_ns;  // by port: when we learned of the newest loss
  };
  struct Control {  // whether a peer answers over HTTP
    std::int64_t asked_ns = 0;
    bool answered = false;
  };
  struct Asked {                                          // a peer, as the fetchers know it
    bool busy = false, good = false;                      // being asked; gave a session when it was asked last
    std::int64_t asked_ns = 0, until_ns = 0, gap_ns = 0;  // silent when it was asked, and for so long not asked again
    std::string error;                                    // of that time
  };

  [[nodiscard]] ProbeFacts gather() const;
  [[nodiscard]] static PeerDigest digest_of(const std::string& peer, const Known& known, std::int64_t now_ns);
  static void learn(Known& known, NodeDigest&& digest, std::optional<std::uint32_t> level, std::int64_t now_ns);
  void take_given();
  void keep_baseline(LinkBaseline&& baseline);
  [[nodiscard]] BaselineTerms terms_of(const Link& link) const;
  [[nodiscard]] LinkBaseline baseline_of(const Link& link) const;
  void settle_baseline(Link& link);
  void settle_baselines(const std::string& peer, const NodeDigest& before, const NodeDigest& now);
  [[nodiscard]] bool excluded(const verbs::PortName& name) const;
  void close_excluded();
  void refresh_ports(std::int64_t now_ns);
  void open_port(const verbs::PortName& name, std::int64_t now_ns);
  void close_port(const std::string& name, const std::string& why);
  void keep_counts(const OpenPort& port);
  void port_went_down(const std::string& name, OpenPort& port, const std::string& event);
  void watch_events(const std::string& name, OpenPort& port);
  [[nodiscard]] bool same_rail(const std::string& port, const PeerAddress& peer) const;
  [[nodiscard]] bool is_offered(const std::string& peer, ProbeKind kind) const;
  void match_links(std::int64_t now_ns);
  void add_link(const std::shared_ptr<OpenPort>& port, const PeerAddress& peer, ProbeKind kind, std::int64_t now_ns);
  void remove_link(std::uint32_t id);
  void want_session(Link& link, std::int64_t now_ns);
  void take_fetched(std::int64_t now_ns);
  [[nodiscard]] std::uint32_t target_for(const Link& link, const Endpoint& end) const;
  void end_session(Link& link);
  void renew_sessions(std::int64_t now_ns, const std::function<bool(const Link&)>& which);
  void install(Link& link, Fetched& fetched, std::int64_t now_ns);
  void take_offer(const PeerAddress& peer, const std::vector<ProbeKind>& kinds, std::int64_t now_ns);
  void send_due(std::int64_t now_ns);
  void send(Link& link, std::int64_t now_ns);
  void conclude(const ProbeOutcome& outcome, std::int64_t now_ns);
  void conclude_late(Link& link, const ProbeOutcome& outcome, std::int64_t now_ns);
  void ask_connections(Link& silent, std::int64_t now_ns);
  [[nodiscard]] bool hurry(Link& link, std::int64_t now_ns);
  void learn_digest(Link& link, std::uint64_t hash, std::int64_t now_ns);
  void refresh(Link& link, std::int64_t now_ns);
  [[nodiscard]] bool is_busy(const Link& link) const;
  [[nodiscard]] RcProber* requester(std::uint32_t id) const;
  void step_connected(std::int64_t late_ns);
  void take_answers(std::int64_t late_ns);
  [[nodiscard]] std::map<std::string, std::int64_t> losing_since() const;
  [[nodiscard]] Reading<bool> control_answers(const Link& link,
                                              const std::map<std::string, std::int64_t>& losing) const;
  void fetcher(const std::stop_token& stop);
  [[nodiscard]] std::deque<Fetch>::iterator next_fetch(std::int64_t now_ns);
  [[nodiscard]] static bool known_silent(const Asked& peer, const Fetch& what, std::int64_t now_ns);
  static void note(Asked& peer, Fetched& fetched, std::int64_t now_ns);
  void release(const std::string& peer);
  [[nodiscard]] Fetched fetch(const Fetch& what);
  void arm(WakeSet& wake);

  verbs::Verbs& verbs_;
  PeerChannel& channel_;
  const MeshOptions options_;

  mutable std::mutex lock_;  // all below but what has a lock of its own; held while a driver is called
  const std::shared_ptr<Budget> budget_;
  std::vector<PeerAddress> peers_;
  bool peers_changed_ = false;
  NodeDigest digest_;
  std::uint64_t digest_hash_ = 0;
  TravelClass class_;
  std::map<std::string, std::shared_ptr<OpenPort>> ports_;
  std::map<std::string, std::string> blocked_;
  std::map<std::string, std::int64_t> closed_ns_;  // ports that went; their reason outlives them for a while
  MtuWatch mtus_;                                  // has a lock of its own
  std::int64_t ports_due_ns_ = 0;
  std::uint32_t first_path_ = 0;              ///< of the next datagram link, modulo paths
  std::vector<std::unique_ptr<Link>> links_;  // by id; empty slots are used again
  std::set<std::pair<std::int64_t, std::uint32_t>> due_;
  std::vector<std::uint32_t> requesting_;  // connected links with a request under way, and some that had one
  std::map<std::string, Known> digests_;
  std::map<std::string, Control> control_;         // by peer, as the digests
  std::map<std::string, LinkBaseline> baselines_;  // by name, of links that are not there or learned nothing yet
  RttHistograms histograms_;
  std::int64_t began_ns_ = 0, last_turn_ns_ = 0;
  UdProber::Refusals past_refusals_{};
  UdProber::Discards past_discards_{};
  struct Mark {
    std::int64_t at_ns = 0;
    Budget::Spent spent;
  };
  std::deque<Mark> marks_;  // of the last minute, for rates

  struct Given {
    std::optional<std::vector<PeerAddress>> peers;
    std::optional<NodeDigest> digest;
    std::optional<TravelClass> in_class;
  };
  std::mutex given_lock_;
  Given given_;  // for the next step
  mutable std::mutex published_lock_;
  mutable ProbeFacts published_;  // as facts() said last

  mutable std::mutex fetch_lock_;  // never taken while waiting for a peer
  std::condition_variable_any fetch_wanted_;
  std::deque<Fetch> wanted_;
  std::vector<Fetched> fetched_;
  std::map<std::string, Asked> asked_;  // by peer
  std::uint32_t doubtful_ = 0;          // peers being asked that gave no session the time before
  WakeUp wake_up_;
};

/// How long to wait until facts are published again, when publishing them took so much CPU time: reading them takes as
/// much again and a little more, and both together shall take 1 % of a core. 1 s (of 60 peers and fewer) to 10 s.
[[nodiscard]] std::int64_t publishing_period_ns(std::int64_t cpu_ns);

}  // namespace roceready::probes

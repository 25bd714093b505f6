// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "probes/peer_channel.h"
#include "probes/probe_port.h"
#include "probes/probe_result.h"
#include "probes/rc_prober.h"

namespace roceready::probes {

/// What a person asks for.
struct ProbePlan {
  ProbeKind kind = ProbeKind::Ud;
  std::uint32_t count = 1000;      ///< 1–1 000 000, over all paths
  std::uint32_t size = 64;         ///< payload bytes; UD: 64 to the smaller MTU, rc-send: 1–64, else 1–65536
  std::uint8_t dscp = 26;          ///< 0–63
  std::uint8_t service_level = 3;  ///< 0–7: the profile's priority
  std::uint32_t paths = 1;         ///< 1–16
  bool mtu_sweep = false;          ///< UD only
  std::int64_t timeout_ns = kProbeTimeoutNs;  ///< until a probe counts as lost: 10 ms to 10 s
  std::string device;                         ///< ours; "": the first that can probe
  std::uint32_t port = 0;                     ///< 0: any
  std::vector<std::byte> secret;
  NodeLabels labels;
  std::function<bool(const verbs::PortName&)> may_use;  ///< empty: every port
};

/// A run of probes on demand to one peer: one probe at a time, as fast as answers come and the peer allows. A path that
/// lost five in a row is not probed any more, so that a dead one does not take minutes.
/// Threads: one.
class ProbeRun {
 public:
  /// Opens the port, the session and the queue pairs; waits for the peer's control channel up to 3 s. What fails is in
  /// result().error, and the run is over before it began.
  ProbeRun(verbs::Verbs& verbs, PeerChannel& channel, const PeerAddress& peer, const ProbePlan& plan);
  ~ProbeRun();
  /// Sends and takes what is due, never waits. False: the run is over.
  bool step(std::int64_t late_ns);
  /// The present one; complete when step said false.
  [[nodiscard]] ProbeResult result() const;
  struct Progress {
    std::uint64_t done = 0, of = 0, lost = 0;
  };
  [[nodiscard]] Progress progress() const;

 private:
  struct Ends;  // what belongs to the session, in the order of its making
  void begin(PeerChannel& channel, const PeerAddress& peer);
  Result<void> check_plan() const;
  Result<SessionAnswer> exchange(PeerChannel& channel, const PeerAddress& peer, SessionRequest& request);
  Result<void> begin_ud(PeerChannel& channel, const PeerAddress& peer);
  Result<void> begin_rc(PeerChannel& channel, const PeerAddress& peer);
  SessionRequest request() const;
  void describe(const SessionAnswer& answer);
  void conclude(const ProbeOutcome& outcome);
  void conclude_sweep(const ProbeOutcome& outcome);
  void send_next(std::int64_t now_ns);
  void send(std::uint32_t path, std::uint32_t size, std::int64_t now_ns);
  [[nodiscard]] std::optional<std::uint32_t> next_path() const;
  [[nodiscard]] bool path_open(std::uint32_t path) const;
  void watch_events(std::int64_t now_ns);
  void fail(const Error& error);

  verbs::Verbs& verbs_;
  ProbePlan plan_;
  ProbeResult result_;
  ResultBuilder built_;
  std::unique_ptr<Ends> ends_;
  std::int64_t gap_ns_ = 0, last_sent_ns_ = 0, events_seen_ns_ = 0, session_ends_ns_ = 0;
  std::uint32_t started_ = 0, next_path_ = 0, open_ = 0;
  std::vector<bool> under_way_;  // by path
  std::uint32_t sweep_sent_ = 0;
  std::int64_t sweep_began_ns_ = 0;  // 0: not yet
  bool over_ = false;
};

/// The whole run, polling busily. `progress` is called at most ten times a second.
[[nodiscard]] ProbeResult probe_on_demand(verbs::Verbs& verbs, PeerChannel& channel, const PeerAddress& peer,
                                          const ProbePlan& plan, const std::stop_token& stop,
                                          const std::function<void(const ProbeRun::Progress&)>& progress);

}  // namespace roceready::probes

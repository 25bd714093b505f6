// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/exchange.h"
#include "probes/peer_channel.h"
#include "probes/probe_port.h"

namespace roceready::probes {

/// What a person asks for: RDMA writes that fill the line. It disturbs everybody else on it.
struct BandwidthPlan {
  std::uint32_t message_bytes = kLeastBandwidthBytes;  ///< 64 KiB to 1 MiB
  std::uint32_t queue_pairs = kLeastBandwidthPairs;    ///< 4–16
  std::int64_t duration_ns = 2'000'000'000;            ///< of posting: 100 ms to 10 s
  std::uint8_t dscp = 26;                              ///< 0–63
  std::uint8_t service_level = 3;                      ///< 0–7: the profile's priority
  std::string device;                                  ///< ours; "": the first that can probe
  std::uint32_t port = 0;                              ///< 0: any
  std::vector<std::byte> secret;                       ///< that the peer knows too; a loopback needs none
  NodeLabels labels;
  std::function<bool(const verbs::PortName&)> may_use;  ///< empty: every port
};

struct BandwidthResult {
  /// What rules judge. What nobody here measured is absent: other_bits_per_second is the caller's to add.
  BandwidthRun run;
  std::uint64_t sent = 0, completed = 0;  ///< writes
  bool authenticated = false;
  bool peer_not_reached = false;     ///< it did not answer over HTTP, or has no neighbour
  std::optional<std::string> error;  ///< why there is no measurement, or why it was cut short
};

/// One measurement, to a peer or from a port to itself.
/// Memory: one message's buffer here, and one at the peer, or two here for a loopback. In flight on each connection is
/// at most 1 MiB, or two messages.
/// Threads: one.
class BandwidthMeasurement {
 public:
  /// To a peer: opens the port, the session and the connections; waits for the peer's control channel up to 3 s. What
  /// fails is in result().error, and the run is over before it began.
  BandwidthMeasurement(verbs::Verbs& verbs, PeerChannel& channel, const PeerAddress& peer, const BandwidthPlan& plan);
  /// Loopback: both ends on one port. It takes PCIe twice, so never while jobs run.
  BandwidthMeasurement(verbs::Verbs& verbs, const BandwidthPlan& plan);
  ~BandwidthMeasurement();
  /// Posts and takes what is due, never waits. False: the run is over.
  bool step();
  /// Ends the run before its time; there is then no measurement.
  void stop();
  [[nodiscard]] BandwidthResult result() const { return result_; }
  /// Share of the time that has gone, 0–1.
  [[nodiscard]] double progress() const;

 private:
  struct Ends;  // what belongs to the run, in the order of its making
  Result<void> check_plan() const;
  Result<void> open(const std::string& host);
  Result<void> begin(PeerChannel& channel, const PeerAddress& peer);
  Result<void> begin_loopback();
  Result<SessionAnswer> exchange(PeerChannel& channel, const PeerAddress& peer);
  [[nodiscard]] verbs::Address address_of(const verbs::Gid& gid) const;
  void describe(const SessionAnswer& answer);
  void start(std::int64_t duration_ns);
  void watch_events(std::int64_t now_ns);
  void fail(const Error& error);
  void count();

  verbs::Verbs& verbs_;
  BandwidthPlan plan_;
  BandwidthResult result_;
  std::unique_ptr<Ends> ends_;
  std::int64_t begun_ns_ = 0, duration_ns_ = 0, events_seen_ns_ = 0;
  bool over_ = false;
};

/// The whole run, polling busily. `progress` is called at most ten times a second with the share of the time that has
/// gone.
[[nodiscard]] BandwidthResult run_to_end(BandwidthMeasurement& measurement, const verbs::Verbs& clock,
                                         const std::stop_token& stop, const std::function<void(double)>& progress);

}  // namespace roceready::probes

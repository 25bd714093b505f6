// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "core/snapshot/probe.h"
#include "probes/exchange.h"
#include "probes/timing.h"
#include "probes/ud_prober.h"

namespace roceready::probes {

/// One size of an MTU sweep.
struct MtuStep {
  std::uint32_t payload_bytes = 0;
  std::uint32_t sent = 0, lost = 0;
};
/// Which sizes pass. UD payload is the whole packet less headers, so the largest is the path MTU in InfiniBand's terms.
struct MtuSweep {
  std::uint32_t own_bytes = 0, peer_bytes = 0;  ///< active MTU of both ports
  std::vector<MtuStep> steps;                   ///< rising
  /// Largest payload that was answered; NotPresent: none was.
  [[nodiscard]] Reading<std::uint32_t> passes() const;
  /// Small payloads pass and larger ones, that both ports allow, do not.
  [[nodiscard]] bool black_hole() const;
};

/// What one run of probes on demand found: the members of `probe --format json`.
struct ProbeResult {
  std::string peer;    ///< as asked for
  std::string device;  ///< ours; "" where none could be used
  std::uint32_t port = 0;
  std::string peer_device, peer_address;  ///< "" until there is a session
  std::uint32_t peer_port = 0;
  ProbeKind kind = ProbeKind::Ud;
  std::uint64_t sent = 0, lost = 0;  ///< without the MTU sweep
  std::uint64_t not_sent = 0, discarded = 0;
  std::uint64_t late = 0, responder_late = 0;  ///< answers whose times a host delayed: this one, the peer's
  std::uint64_t answered_late = 0;  ///< of the lost: answered after the timeout, because the peer's host kept the probe
  std::optional<ProbeClock> clock;
  Reading<ProbeTimes> rtt, total, prober_delay, responder_delay;
  std::uint32_t dscp_sent = 0, ecn_sent = 0;
  Reading<std::uint32_t> dscp_received, ecn_received, ttl;  ///< newest; absent: nobody could believe the header
  std::uint64_t seen = 0, rewritten = 0, bleached = 0, marked = 0;
  std::vector<ProbePath> paths;
  std::optional<MtuSweep> mtu;
  bool authenticated = false;
  std::optional<std::string> error;  ///< newest reason why probes failed or could not be made
  bool cut_short = false;            ///< and for this reason fewer probes were made than asked for
  bool reachable = false;            ///< at least one answer
  bool peer_not_reached = false;     ///< no probe was made, for the peer did not answer over HTTP or has no neighbour
};

/// Collects outcomes into a result. Memory: 32 bytes an answer, of at most kMost answers (the first ones).
class ResultBuilder {
 public:
  static constexpr std::size_t kMost = 1'000'000;
  explicit ResultBuilder(std::uint32_t paths) : paths_(paths) {}
  void add(const ProbeOutcome& outcome);
  /// Of AnsweredLate.
  void add_late(const ProbeOutcome& outcome);
  /// Fills in all that outcomes tell.
  void fill(ProbeResult& out) const;
  [[nodiscard]] std::uint64_t concluded() const { return sent_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::uint32_t lost_in_row(std::uint32_t path) const { return paths_[path].lost_in_row; }

 private:
  struct Path {
    std::uint64_t sent = 0, lost = 0;
    std::uint32_t lost_in_row = 0;
    std::vector<std::int64_t> rtt;
  };
  std::vector<Path> paths_;
  std::vector<std::int64_t> total_, prober_, responder_;
  std::uint64_t sent_ = 0, lost_ = 0, not_sent_ = 0, discarded_ = 0, late_ = 0, responder_late_ = 0, answered_ = 0;
  std::uint64_t answered_late_ = 0;
  std::uint64_t seen_ = 0, rewritten_ = 0, bleached_ = 0, marked_ = 0;
  std::optional<SeenClass> newest_;
  std::optional<ProbeClock> clock_;
  std::optional<std::string> error_;
};

/// Distribution by nearest rank; NotPresent: no values.
[[nodiscard]] Reading<ProbeTimes> times_of(std::vector<std::int64_t> nanoseconds);

}  // namespace roceready::probes

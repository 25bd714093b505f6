// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "probes/exchange.h"
#include "probes/ud_prober.h"
#include "probes/verbs/verbs.h"

namespace roceready::probes {

/// Largest message of a connected probe: writes and reads; sends have at most 64 bytes.
inline constexpr std::uint32_t kRcBytes = 1 << 16, kRcSendBytes = 64;

/// Latency of connected requests: from posting a write, a read or a send to its completion, which the peer's NIC brings
/// about without the peer's host, but for the receives that it posts for sends. A request that fails ends its queue
/// pair; the outcome says which status and why. Threads: one.
class RcProber {
 public:
  using Sink = UdProber::Sink;
  /// All outlive the prober. `target` is for the outcomes. Path p is queue pair p.
  RcProber(verbs::Rc& rc, const verbs::Verbs& clock, ProbeKind kind, std::uint32_t target,
           std::int64_t timeout_ns = kProbeTimeoutNs);

  /// An error: not sent. One probe a path at a time.
  Result<void> probe(std::uint32_t path, std::uint32_t bytes);
  /// As UdProber::step. A path without completion within the timeout is dead, whatever the NIC still hopes for.
  Result<bool> step(std::int64_t late_ns, const Sink& sink);
  [[nodiscard]] std::optional<std::int64_t> deadline_ns() const;
  [[nodiscard]] bool busy(std::uint32_t path) const { return paths_[path].open; }
  /// A dead path needs a new session.
  [[nodiscard]] bool dead(std::uint32_t path) const { return paths_[path].dead; }
  [[nodiscard]] bool all_dead() const;
  /// Ends all requests under way as NotSent. Their paths are dead: the NIC may go on trying them.
  void abandon(const std::string& why, const Sink& sink);

 private:
  struct Path {
    bool open = false, dead = false;
    std::uint32_t size = 0;
    std::uint64_t id = 0;
    std::int64_t posted_ns = 0;
  };
  void completed(const verbs::Completion& completion, std::int64_t now_ns, bool late, const Sink& sink);
  void fail(std::uint32_t path, ProbeOutcome::Kind kind, std::string why, const Sink& sink,
            bool host_not_ready = false);

  verbs::Rc& rc_;
  const verbs::Verbs& clock_;
  verbs::Operation operation_;
  std::uint32_t target_;
  std::int64_t timeout_ns_;
  PollGap gap_;
  std::vector<Path> paths_;
  std::uint64_t next_id_ = 1;
};

/// Connects queue pair i to the peer's; both ends do the same.
[[nodiscard]] Result<void> connect_all(verbs::Rc& rc, const verbs::Address& to, const Endpoint& peer,
                                       std::uint32_t own_mtu, const std::vector<std::uint32_t>& flow_labels);
[[nodiscard]] verbs::Operation operation_of(ProbeKind kind);

}  // namespace roceready::probes

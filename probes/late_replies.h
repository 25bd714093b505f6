// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "probes/wire.h"

namespace roceready::probes {

/// Probes that were given up, for as long as a reply may still tell why: a host that got no CPU answers when it has one
/// again, be it that its session was replaced meanwhile. Threads: one. Memory: 32 bytes a probe, of at most 128 of a
/// session and 10 s.
class LateReplies {
 public:
  static constexpr std::int64_t kAwaitedNs = 10'000'000'000;
  struct Probe {
    std::uint64_t sequence = 0;
    std::uint32_t path = 0, size = 0;
    std::int64_t posted_ns = 0, given_up_ns = 0;
  };
  struct Session {
    std::uint32_t target = 0;
    SessionKey key{};
    std::deque<Probe> probes;  ///< by sequence
  };

  void await(std::uint64_t session, std::uint32_t target, const SessionKey& key, const Probe& probe);
  /// Null: nothing of that session is awaited.
  [[nodiscard]] const Session* find(std::uint64_t session) const;
  [[nodiscard]] bool awaits(std::uint64_t session, const Message& reply) const;
  /// The probe that a reply is to, once; nothing: it was never asked for, or too long ago.
  [[nodiscard]] std::optional<Probe> take(std::uint64_t session, const Message& reply);
  void forget(std::uint32_t target);
  /// Drops what is too old; cheap where that was done less than a second ago.
  void prune(std::int64_t now_ns);

 private:
  std::unordered_map<std::uint64_t, Session> sessions_;
  std::int64_t prune_due_ns_ = 0;
};

}  // namespace roceready::probes

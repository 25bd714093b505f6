// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace roceready::probes {

/// Tokens that come at a steady rate and are kept up to a limit. Exact: counts in billionths of a token, so that
/// nothing is lost between short steps. Times are monotonic nanoseconds; one before the last is taken for the last.
class TokenBucket {
 public:
  /// Full at the start. `per_second` and `burst` up to 4e9; a rate of 0 never refills.
  TokenBucket(std::uint64_t per_second, std::uint64_t burst);
  /// Takes `tokens`, or nothing and false.
  [[nodiscard]] bool take(std::uint64_t tokens, std::int64_t now_ns);
  [[nodiscard]] bool has(std::uint64_t tokens, std::int64_t now_ns);
  /// Takes what was already used, even below zero: has(1) is false until it is paid back. Of a debt above `most` the
  /// rest is forgiven.
  void owe(std::uint64_t tokens, std::int64_t now_ns, std::uint64_t most = 4'000'000'000);

 private:
  void refill(std::int64_t now_ns);
  std::int64_t rate_;      ///< billionths of a token a nanosecond, which is tokens a second
  std::int64_t capacity_;  ///< billionths of a token
  std::int64_t level_;
  std::int64_t last_ns_ = 0;
  bool started_ = false;
};

/// Of all that this process sends, probes and replies. Own probes keep to it, and so does what is answered on demand,
/// to half of it; answers to a mesh count, and own probes give way to them, but they are bounded by their sessions'
/// rates.
struct BudgetLimits {
  std::uint64_t messages_per_second = 8000;    ///< over all peers and ports; bursts of a tenth of it
  std::uint64_t bytes_per_second = 4'000'000;  ///< payload sent; bursts of a tenth of it, at least one largest message
  std::uint64_t per_target_per_second = 10;    ///< probes, in any second, 1–1000
  double core_share = 0.05;                    ///< of one core, 0 < share ≤ 1, over any 10 seconds
};

/// Why a probe may not be sent now. Such a probe is "not sent", never lost.
enum class Held { No, Messages, Bytes, Target, Core, BackOff, kCount };
[[nodiscard]] const char* name_of(Held held);

/// What probing may cost in this process: own probes and answers to others out of one purse. An answer to a peer's mesh
/// is never refused, since the peer takes one that is missing for loss: it is paid for, even by a debt, and own probes
/// wait. The debt is one burst at most, of CPU time and where limits are low a second's worth, so that it does not
/// outlive what caused it. Answers on demand have a purse of their own with half of the messages and bytes, and are
/// refused when it is empty; they are paid for out of both. Deterministic: time and CPU time are given. Threads: any.
/// Memory: 8 bytes a target and probe of a second, 80 with the limits above.
class Budget {
 public:
  explicit Budget(const BudgetLimits& limits);

  /// Asks for one probe of `bytes` (payload) to `target`: an index that the engine gives to each port of each peer,
  /// whatever port of ours or kind of probe it is asked from; kept small. No: it may be sent and is paid for. Otherwise
  /// nothing is.
  [[nodiscard]] Held ask(std::uint32_t target, std::size_t bytes, std::int64_t now_ns);
  /// Pays for the answer to a probe of a mesh: so many messages of `bytes` in all.
  void answer(std::uint64_t messages, std::size_t bytes, std::int64_t now_ns);
  /// Asks to answer a probe on demand. True: the messages may be sent and are paid for.
  [[nodiscard]] bool answer_on_demand(std::uint64_t messages, std::size_t bytes, std::int64_t now_ns);
  /// CPU time that an engine used since it last said so.
  void used_cpu(std::int64_t cpu_ns, std::int64_t now_ns);
  /// The same of one that serves a probe on demand: part of the cost, but such a session has bounds of its own
  /// (Responder::poll_busily), and whoever begins it cannot stop the mesh.
  void used_cpu_on_demand(std::int64_t cpu_ns);
  /// Sending failed for want of resources, or the device is in trouble: nothing for 100 ms, then for twice as long as
  /// the time before at each further trouble, up to 30 s. Trouble during a pause counts once.
  void trouble(std::int64_t now_ns);
  /// A probe was answered: the next trouble starts at 100 ms again.
  void calm();

  struct Spent {
    std::uint64_t messages = 0, bytes = 0, cpu_ns = 0;
    std::uint64_t held = 0;  ///< asked for in vain
  };
  [[nodiscard]] Spent spent() const;  ///< since the start
  [[nodiscard]] const BudgetLimits& limits() const { return limits_; }

 private:
  /// When the newest probes were sent to a target: as many as it may have in a second.
  struct Recent {
    std::vector<std::int64_t> at_ns;
    std::size_t oldest = 0;
  };
  void pay(std::uint64_t messages, std::size_t bytes, std::int64_t now_ns);
  [[nodiscard]] bool too_often(const Recent& target, std::int64_t now_ns) const;

  const BudgetLimits limits_;
  std::size_t target_most_;
  std::uint64_t message_burst_, byte_burst_, cpu_second_;  ///< cpu_second_: µs of a second
  mutable std::mutex lock_;                                // of all below
  TokenBucket messages_, bytes_, cpu_;
  TokenBucket half_messages_, half_bytes_;  ///< for answers on demand; a token is half a message, half a byte
  std::vector<Recent> targets_;
  std::int64_t pause_until_ns_ = 0, pause_ns_ = 0;
  std::uint64_t cpu_rest_ns_ = 0;
  bool paused_ = false;
  Spent spent_;
};

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "probes/verbs/verbs.h"

namespace roceready::probes {

/// A host that came to its queue later than this was late; times by the software clock are then not the network's.
inline constexpr std::int64_t kLateNs = 200'000;

/// For how long the calling thread was ready to run and another had the CPU: what tells a late host from a slow
/// network. Source: second number of /proc/thread-self/schedstat (fact proc-schedstat). Threads: the one that made it.
class ThreadDelay {
 public:
  ThreadDelay();
  ~ThreadDelay();
  ThreadDelay(const ThreadDelay&) = delete;
  ThreadDelay& operator=(const ThreadDelay&) = delete;
  /// ns since the thread began; a kernel that does not tell always says the same.
  [[nodiscard]] std::int64_t total_ns();

 private:
  int fd_ = -1;
  std::int64_t total_ns_ = 0;
};

/// CPU time that the calling thread used since it began, ns.
[[nodiscard]] std::int64_t thread_cpu_ns();

/// What an engine came late by. Asked behind a poll, not before it: most of a poller's time is in its polls, and there
/// it loses the CPU. Threads: the one that polls.
class PollGap {
 public:
  explicit PollGap(const verbs::Verbs& host) : host_(host) {}
  /// Behind each poll, with the time of it: of the time since the poll before, how long the thread waited for a CPU. At
  /// most so long did what was found there lie unread. The kernel is asked only after a gap that is long enough to
  /// matter, 100 µs.
  [[nodiscard]] std::int64_t late_ns(std::int64_t now_ns);
  /// Where nobody polled because nothing was awaited: from now on something is. What the thread waited before does not
  /// count.
  void begin(std::int64_t now_ns) { (void)late_ns(now_ns); }

 private:
  const verbs::Verbs& host_;
  std::optional<std::int64_t> last_ns_;
  std::int64_t waited_ns_ = 0;
};

}  // namespace roceready::probes

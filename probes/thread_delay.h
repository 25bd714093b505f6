// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roceready::probes {

/// For how long the calling thread was ready to run and another had the CPU: what tells a late host from a slow
/// network. Source: second number of /proc/thread-self/schedstat (fact proc-schedstat); a kernel without it always says
/// 0. Threads: the one that made it.
class ThreadDelay {
 public:
  ThreadDelay();
  ~ThreadDelay();
  ThreadDelay(const ThreadDelay&) = delete;
  ThreadDelay& operator=(const ThreadDelay&) = delete;
  /// ns since the last call; the first call says 0.
  [[nodiscard]] std::int64_t since_last_ns();
  /// For threads that poll busily: of the time between two polls, how much another had the CPU. Asks the kernel only
  /// after a gap that is long enough to matter.
  [[nodiscard]] std::int64_t of_gap_ns(std::int64_t gap_ns);

 private:
  int fd_ = -1;
  std::int64_t last_ns_ = -1;
};

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <vector>

namespace roceready::probes {

/// Wakes a thread that waits in a WakeSet. Threads: any.
class WakeUp {
 public:
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  void wake();
  /// Takes back all wake-ups so far.
  void clear();
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

/// File descriptors that one thread waits for.
class WakeSet {
 public:
  void clear() { fds_.clear(); }
  /// -1 is none.
  void add(int fd) {
    if (fd >= 0) fds_.push_back({fd, POLLIN, 0});
  }
  /// Whether one became readable (or failed) within the time.
  bool wait(int timeout_ms);

 private:
  std::vector<pollfd> fds_;
};

}  // namespace roceready::probes

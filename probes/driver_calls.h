// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <utility>

namespace roceready::probes {

/// Bounds how many threads a driver that hangs can hold up: so many are within at a time, a further one waits for a
/// moment, and while one has been within for longer than any call takes nobody else comes in. Times are real ones.
/// Threads: any.
class DriverCalls {
 public:
  struct Limits {
    std::size_t most = 4;
    std::chrono::milliseconds patience{1000};    ///< of one that waits for its turn
    std::chrono::milliseconds hung_after{5000};  ///< a neighbour that is being resolved takes about one second
  };
  explicit DriverCalls(const Limits& limits) : limits_(limits) {}

  /// A turn, until it is destroyed; false: there is none.
  class Turn {
   public:
    Turn() = default;
    ~Turn();
    Turn(Turn&& other) noexcept : calls_(std::exchange(other.calls_, nullptr)), since_(other.since_) {}
    Turn& operator=(Turn&&) = delete;
    explicit operator bool() const { return calls_ != nullptr; }

   private:
    friend class DriverCalls;
    using Since = std::list<std::chrono::steady_clock::time_point>::iterator;
    Turn(DriverCalls& calls, Since since) : calls_(&calls), since_(since) {}
    DriverCalls* calls_ = nullptr;
    Since since_{};
  };
  [[nodiscard]] Turn enter();

 private:
  [[nodiscard]] bool hangs() const;
  const Limits limits_;
  std::mutex lock_;
  std::condition_variable left_;
  std::list<std::chrono::steady_clock::time_point> within_;  // since when, the oldest first
};

}  // namespace roceready::probes

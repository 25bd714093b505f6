// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "daemon/pace.h"
#include "daemon/sampling.h"

namespace roceready::daemon {

/// The sampling thread.
/// Shape: waits for the next tick of the pace, then ticks. When a recording has ended it goes on beating, so that the
///   daemon counts as alive.
/// Threads: its own; start, stop and apply come from one other thread.
class Scheduler {
 public:
  /// `after_tick` runs on the sampling thread after each published sample.
  Scheduler(Sampling& sampling, Board& board, std::function<void()> after_tick);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void start();
  /// Asks the thread to end and waits for it; false when it did not end within `most_ms` (a driver call hangs), then it
  /// is left behind and the process should end at once.
  [[nodiscard]] bool stop(std::int64_t most_ms);
  /// A new plan, from the next tick on.
  void apply(SamplingPlan plan);

 private:
  void run(const std::stop_token& stop);
  void wait_until(const std::stop_token& stop, std::int64_t monotonic_ns);
  /// Waits for the next tick, and takes the steps of a burst meanwhile.
  void wait_for_tick(const std::stop_token& stop, std::int64_t due_ns);
  void take_plan(Pace& pace);

  Sampling& sampling_;
  Board& board_;
  std::function<void()> after_tick_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<SamplingPlan> new_plan_;
  bool ended_ = false;
  std::jthread thread_;
};

/// CLOCK_MONOTONIC, nanoseconds.
[[nodiscard]] std::int64_t monotonic_now_ns();

}  // namespace roceready::daemon

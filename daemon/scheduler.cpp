// SPDX-License-Identifier: Apache-2.0
#include "daemon/scheduler.h"

#include <chrono>
#include <utility>

#include "daemon/log.h"

namespace roceready::daemon {

std::int64_t monotonic_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Scheduler::Scheduler(Sampling& sampling, Board& board, std::function<void()> after_tick)
    : sampling_(sampling), board_(board), after_tick_(std::move(after_tick)) {}

Scheduler::~Scheduler() = default;

void Scheduler::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

bool Scheduler::stop(std::int64_t most_ms) {
  if (!thread_.joinable()) return true;
  thread_.request_stop();
  wake_.notify_all();
  {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, std::chrono::milliseconds(most_ms), [this] { return ended_; })) return false;
  }
  thread_.join();
  return true;
}

void Scheduler::apply(SamplingPlan plan) {
  {
    const std::lock_guard lock(mutex_);
    new_plan_ = std::move(plan);
  }
  wake_.notify_all();
}

void Scheduler::wait_until(const std::stop_token& stop, std::int64_t monotonic_ns) {
  const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(monotonic_ns)};
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, stop, until, [] { return false; });
}

void Scheduler::wait_for_tick(const std::stop_token& stop, std::int64_t due_ns) {
  while (!stop.stop_requested()) {
    const auto step_ns = sampling_.next_burst_step_ns(monotonic_now_ns());
    if (!step_ns || *step_ns >= due_ns) break;
    wait_until(stop, *step_ns);
    if (!stop.stop_requested()) sampling_.burst_step(monotonic_now_ns());
  }
  wait_until(stop, due_ns);
}

void Scheduler::take_plan(Pace& pace) {
  std::optional<SamplingPlan> plan;
  {
    const std::lock_guard lock(mutex_);
    plan.swap(new_plan_);
  }
  if (!plan) return;
  if (plan->interval_ns != pace.interval_ns()) pace.change(plan->interval_ns);
  sampling_.change(std::move(*plan));
}

void Scheduler::run(const std::stop_token& stop) {
  Pace pace(monotonic_now_ns(), sampling_.plan().interval_ns);
  std::uint64_t skipped = 0;
  bool more = true;
  while (!stop.stop_requested()) {
    take_plan(pace);
    if (more) {
      more = sampling_.tick(skipped);
      if (!more)
        log(Level::Info, "the recording has ended, its last report stays", {{"source", sampling_.source().detail()}});
    }
    const std::int64_t now = monotonic_now_ns();
    board_.beat(now, pace.interval_ns());
    after_tick_();
    const std::uint64_t missed = pace.ticked(now);
    if (!sampling_.source().ends()) skipped += missed;
    wait_for_tick(stop, pace.due_ns());
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  wake_.notify_all();
}

}  // namespace roceready::daemon

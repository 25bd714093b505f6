// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>
#include <utility>

#include "probes/responder.h"
#include "probes/responder_session.h"
#include "probes/thread_delay.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kBusyAfterLastNs = 1'000'000'000;  // a prober that went away does not keep a core busy
constexpr int kHeartbeatMs = 20, kIdleMs = 1000;

}  // namespace

Responder::Busy Responder::busy_for(std::int64_t now_ns) const {
  const std::lock_guard guard(lock_);
  Busy out = Busy::No;
  for (const std::uint64_t id : on_demand_) {
    const Session& session = *sessions_.at(id);
    if (session.kind != ProbeKind::Ud) continue;
    const std::int64_t heard = session.serving->engine.last_heard_ns(id);
    if (heard == 0 || now_ns - heard >= kBusyAfterLastNs) continue;
    if (session.authenticated) return Busy::Known;
    out = Busy::Strangers;
  }
  return out;
}

bool Responder::busy(std::int64_t now_ns) const {
  return busy_for(now_ns) != Busy::No;
}

bool Responder::poll_busily(std::int64_t now_ns) {
  const std::int64_t since_ns = now_ns - std::exchange(polling_asked_ns_, now_ns);
  if (polls_for_strangers_) strangers_polling_.owe(static_cast<std::uint64_t>(since_ns / 1000), now_ns);
  const Busy who = busy_for(now_ns);
  const std::uint64_t least_us = polls_for_strangers_ ? 1 : 1'000'000;  // a second at a time
  polls_for_strangers_ = who == Busy::Strangers && strangers_polling_.has(least_us, now_ns);
  return polls_for_strangers_ || who == Busy::Known;
}

bool Responder::wait_for_work(WakeSet& wake, int timeout_ms) {
  wake.clear();
  wake.add(wake_up_.fd());
  {
    const std::lock_guard guard(lock_);
    for (auto& [name, serving] : servings_) {
      (void)serving->ud->wake_on_completion();
      wake.add(serving->ud->fd());
      wake.add(serving->port.port->event_fd());
    }
    for (const std::uint64_t id : on_demand_) {
      const Session& session = *sessions_.at(id);
      if (session.kind != ProbeKind::RcSend) continue;
      (void)session.rc->wake_on_completion();
      wake.add(session.rc->fd());
    }
  }
  step(0);  // what came before the wake-up was asked for
  return wake.wait(timeout_ms);
}

void Responder::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake_up_.wake(); });
  if (cm_) cm_->begin();
  const std::jthread watcher([this](const std::stop_token& own) { mtus_.run(own); });
  WakeSet wake;
  std::int64_t checked_ns = 0, cpu_ns = thread_cpu_ns();
  bool polling = false, on_demand = false;
  while (!stop.stop_requested()) {
    while (wanting_.load() > 0) std::this_thread::yield();
    std::int64_t late_ns = 0;
    if (!polling) {
      const bool any = [this] {
        const std::lock_guard guard(lock_);
        return !sessions_.empty();
      }();
      const int timeout_ms = any ? kHeartbeatMs : kIdleMs;
      const std::int64_t from_ns = verbs_.now_ns();
      static_cast<void>(wait_for_work(wake, timeout_ms));
      wake_up_.clear();
      // More than the timeout, whatever ended the wait, is what the scheduler does not count: a stopped or stolen CPU.
      late_ns = std::max<std::int64_t>(verbs_.now_ns() - from_ns - std::int64_t{timeout_ms} * 1'000'000, 0);
    }
    step(late_ns);
    const std::int64_t now_ns = verbs_.now_ns();
    if (options_.budget != nullptr && (!polling || now_ns - checked_ns > 10'000'000)) {
      const std::int64_t used_ns = thread_cpu_ns() - cpu_ns;
      cpu_ns += used_ns;
      if (on_demand)
        options_.budget->used_cpu_on_demand(used_ns);
      else
        options_.budget->used_cpu(used_ns, now_ns);
    }
    if (!polling || now_ns - checked_ns > 10'000'000) {
      checked_ns = now_ns;
      on_demand = busy(now_ns);
      polling = poll_busily(now_ns);
    }
  }
  if (cm_) cm_->end();
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>

#include "probes/mesh.h"
#include "probes/mesh_link.h"
#include "probes/thread_delay.h"

namespace roceready::probes {
namespace {

/// Longest sleep: a timer that goes off late is how a stopped or stolen CPU shows.
constexpr std::int64_t kHeartbeatMs = 20;

}  // namespace

void Mesh::arm(WakeSet& wake) {
  wake.clear();
  wake.add(wake_up_.fd());
  const std::lock_guard guard(lock_);
  for (auto& [name, port] : ports_) {
    (void)port->ud->wake_on_completion();
    wake.add(port->ud->fd());
    wake.add(port->port.port->event_fd());
  }
  for (const std::uint32_t id : requesting_) {
    if (requester(id) == nullptr) continue;
    (void)links_[id]->rc->wake_on_completion();
    wake.add(links_[id]->rc->fd());
  }
}

void Mesh::step_and_arm(std::int64_t late_ns, WakeSet& wake) {
  step(late_ns);
  arm(wake);  // behind the sending: a request that was just posted is awaited too
  const std::int64_t before_ns = verbs_.now_ns();
  const std::lock_guard guard(lock_);
  take_answers(verbs_.now_ns() - before_ns);  // what came before the wake-up was asked for
}

void Mesh::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake_up_.wake(); });
  std::vector<std::jthread> fetchers;
  for (std::uint32_t i = 0; i < options_.fetchers; ++i)
    fetchers.emplace_back([this](const std::stop_token& own) { fetcher(own); });
  const std::jthread watcher([this](const std::stop_token& own) { mtus_.run(own); });
  WakeSet wake;
  std::int64_t cpu_ns = thread_cpu_ns(), late_ns = 0;
  while (!stop.stop_requested()) {
    step_and_arm(late_ns, wake);
    const std::int64_t from_ns = verbs_.now_ns();
    const std::int64_t timeout_ms = std::clamp((next_step_ns() - from_ns) / 1'000'000, std::int64_t{0}, kHeartbeatMs);
    static_cast<void>(wake.wait(static_cast<int>(timeout_ms)));
    wake_up_.clear();
    const std::int64_t over_ns = verbs_.now_ns() - from_ns - (timeout_ms + 1) * 1'000'000;
    late_ns = std::max<std::int64_t>(over_ns, 0);  // whatever ended the wait: a stopped CPU finds replies waiting
    const std::int64_t used_ns = thread_cpu_ns() - cpu_ns;
    cpu_ns += used_ns;
    budget_->used_cpu(used_ns, verbs_.now_ns());
  }
  for (std::jthread& each : fetchers) each.request_stop();
}

}  // namespace roceready::probes

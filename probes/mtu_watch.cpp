// SPDX-License-Identifier: Apache-2.0
#include "probes/mtu_watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>

namespace roceready::probes {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1000};

}  // namespace

void MtuWatch::add(const std::shared_ptr<verbs::Port>& port, std::uint32_t opened_bytes) {
  const std::lock_guard guard(lock_);
  std::erase_if(ports_, [](const Watched& each) { return each.port.expired(); });  // one may have had this address
  ports_.push_back({port, port.get(), opened_bytes, opened_bytes, clock_.now_ns() + kEveryNs});
}

void MtuWatch::suspect(const verbs::Port& port) {
  const std::lock_guard guard(lock_);
  const auto found = std::ranges::find(ports_, &port, &Watched::which);
  if (found != ports_.end()) found->due_ns = clock_.now_ns();
}

std::string MtuWatch::change_of(const verbs::Port& port) const {
  const std::lock_guard guard(lock_);
  const auto found = std::ranges::find(ports_, &port, &Watched::which);
  if (found == ports_.end() || found->bytes == found->opened_bytes) return "";
  return "its MTU changed from " + std::to_string(found->opened_bytes) + " to " + std::to_string(found->bytes) +
         " bytes";
}

/// Null: none. Its next turn is set before it is asked, so that a suspicion that comes meanwhile holds.
std::shared_ptr<verbs::Port> MtuWatch::next_due() {
  const std::lock_guard guard(lock_);
  const std::int64_t now_ns = clock_.now_ns();
  for (Watched& each : ports_) {
    if (each.due_ns > now_ns) continue;
    each.due_ns = now_ns + kEveryNs;
    if (auto port = each.port.lock()) return port;
  }
  return nullptr;
}

/// The caller holds the port, so that no other can have its address.
void MtuWatch::note(const verbs::Port& port, std::uint32_t bytes) {
  const std::lock_guard guard(lock_);
  const auto found = std::ranges::find(ports_, &port, &Watched::which);
  if (found != ports_.end()) found->bytes = bytes;
}

void MtuWatch::look() {
  while (const std::shared_ptr<verbs::Port> port = next_due()) {
    const auto facts = port->facts();
    if (facts && facts->active && facts->active_mtu_bytes != 0) note(*port, facts->active_mtu_bytes);
  }
}

void MtuWatch::run(const std::stop_token& stop) {
  std::mutex sleep_lock;
  std::condition_variable_any sleep;
  std::unique_lock held(sleep_lock);
  while (!stop.stop_requested()) {
    look();
    (void)sleep.wait_for(held, stop, kBetweenLooks, [] { return false; });
  }
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/driver_calls.h"

namespace roceready::probes {

bool DriverCalls::hangs() const {
  return !within_.empty() && std::chrono::steady_clock::now() - within_.front() > limits_.hung_after;
}

DriverCalls::Turn DriverCalls::enter() {
  std::unique_lock held(lock_);
  if (hangs()) return {};
  if (!left_.wait_for(held, limits_.patience, [this] { return within_.size() < limits_.most; })) return {};
  return Turn(*this, within_.insert(within_.end(), std::chrono::steady_clock::now()));
}

DriverCalls::Turn::~Turn() {
  if (calls_ == nullptr) return;
  {
    const std::lock_guard guard(calls_->lock_);
    calls_->within_.erase(since_);
  }
  calls_->left_.notify_one();
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "collectors/live/published_probes.h"

#include <utility>

namespace roceready {

void PublishedProbes::publish(std::string json) {
  auto next = std::make_shared<const std::string>(std::move(json));
  const std::lock_guard lock(mutex_);
  newest_.swap(next);
}

void PublishedProbes::withdraw() {
  std::shared_ptr<const std::string> old;
  const std::lock_guard lock(mutex_);
  newest_.swap(old);
}

Result<std::string> PublishedProbes::results() {
  std::shared_ptr<const std::string> newest;
  {
    const std::lock_guard lock(mutex_);
    newest = newest_;
  }
  if (newest == nullptr) return Error{ErrorCode::NotFound, "this node does not probe", "probes", 0};
  return *newest;
}

}  // namespace roceready

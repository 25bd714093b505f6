// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/host/host.h"

namespace roceready {

/// Where a probe engine leaves what it knows for the sampler of the same process.
/// Threads: any; the lock is held for a pointer's copy alone.
class PublishedProbes : public ProbeResults {
 public:
  /// JSON of ProbeFacts (core/snapshot/probe_json.h); replaces what was there.
  void publish(std::string json);
  /// From now on this node does not probe.
  void withdraw();
  /// Error NotFound before the first publish and after withdraw.
  Result<std::string> results() override;

 private:
  std::mutex mutex_;
  std::shared_ptr<const std::string> newest_;
};

}  // namespace roceready

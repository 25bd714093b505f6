// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/state/kept_baselines.h"

namespace roceready::daemon {

/// The baselines of round trips between two meshes, of which the latter goes on where the former ended: in one process,
/// when a new configuration asks for another mesh, or in the next. Threads: any; the lock is held for copies alone.
class KnownBaselines {
 public:
  /// What an earlier process kept; what makes no sense is said in the log.
  void recall(const std::string& text, const ProbeTime& now);
  /// What a mesh knows now: all that it took over is part of it.
  void take(std::vector<probes::LinkBaseline> baselines);
  [[nodiscard]] std::vector<probes::LinkBaseline> all() const;
  /// From now on what is known, if anything, is what shall be kept, in at most `most_bytes`.
  void publish(const ProbeTime& now, std::size_t most_bytes);
  /// What was published last; null where nothing was.
  [[nodiscard]] std::shared_ptr<const std::string> text() const;

 private:
  mutable std::mutex lock_;
  std::vector<probes::LinkBaseline> all_;
  std::shared_ptr<const std::string> text_;
};

}  // namespace roceready::daemon

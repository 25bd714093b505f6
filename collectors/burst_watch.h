// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/snapshot/burst.h"
#include "core/snapshot/rdma.h"

namespace roceready {

/// Adds up what fast polling of the RDMA counters saw, step by step. Pure.
/// Limits: counters that never grew take no room; at most 64 facts, those of the largest peaks first.
class BurstWatch {
 public:
  static constexpr std::size_t kMaxFacts = 64;
  /// Takes the next reading of each port in scope. The first one is a baseline; resets and ports that were read at no
  /// new time are no growth.
  void add(const std::vector<RdmaPort>& ports);
  [[nodiscard]] std::vector<BurstFact> facts() const;

 private:
  struct Watched {
    std::vector<CounterValue> last;
    std::int64_t last_ns = 0;
    std::uint32_t steps = 0;
    double seconds = 0;
    std::map<std::pair<CounterId, std::uint8_t>, BurstFact> grown;
  };
  static void step(Watched& watched, const RdmaPort& port, double seconds);
  std::map<std::string, Watched> ports_;  // by "device/port"
};

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roceready {

/// How one RDMA counter grew while the port was polled faster than samples are taken: evenly, or in bursts.
struct BurstFact {
  std::string device;
  std::uint32_t port = 1;
  std::string counter;           ///< canonical name
  std::uint32_t steps = 0;       ///< intervals that were seen
  std::uint32_t busy_steps = 0;  ///< of these, the ones in which it grew
  double amount = 0;             ///< growth in all, base units
  double peak = 0;               ///< largest growth in one step
  double step_seconds = 0;       ///< mean length of a step
  double seconds = 0;            ///< time that was watched
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("counter", self.counter);
    visit("steps", self.steps);
    visit("busy_steps", self.busy_steps);
    visit("amount", self.amount);
    visit("peak", self.peak);
    visit("step_seconds", self.step_seconds);
    visit("seconds", self.seconds);
  }
};

}  // namespace roceready

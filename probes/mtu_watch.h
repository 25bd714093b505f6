// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "probes/verbs/verbs.h"

namespace roceready::probes {

/// Asks open ports for their MTU now and then: queue pairs keep the one that they were made with (fact
/// kernel-roce-mtu), and no event tells that it changed. What a port did not answer, or says while it is down, changes
/// nothing.
/// Threads: look from one, the others from any; only look waits for a driver. One that hangs holds up that thread
/// alone: until it answers no MTU is known anew, of no port.
class MtuWatch {
 public:
  static constexpr std::int64_t kEveryNs = 4'000'000'000;  ///< between two questions to a port: two probes of its MTU

  /// The clock outlives the watch.
  explicit MtuWatch(const verbs::Verbs& clock) : clock_(clock) {}

  /// Watches a port that was opened with so many bytes, until it is let go.
  void add(const std::shared_ptr<verbs::Port>& port, std::uint32_t opened_bytes);
  /// It may have another MTU: the next look asks it.
  void suspect(const verbs::Port& port);
  /// How the MTU changed since the port was opened, in words; "" if it did not, as far as is known.
  [[nodiscard]] std::string change_of(const verbs::Port& port) const;
  /// Asks the ports whose turn it is.
  void look();
  /// Looks until stopped.
  void run(const std::stop_token& stop);

 private:
  struct Watched {
    std::weak_ptr<verbs::Port> port;
    const verbs::Port* which = nullptr;  ///< the same; not to be followed
    std::uint32_t opened_bytes = 0, bytes = 0;
    std::int64_t due_ns = 0;
  };
  [[nodiscard]] std::shared_ptr<verbs::Port> next_due();
  void note(const verbs::Port& port, std::uint32_t bytes);

  const verbs::Verbs& clock_;
  mutable std::mutex lock_;  // never held while a driver is called
  std::vector<Watched> ports_;
};

}  // namespace roceready::probes

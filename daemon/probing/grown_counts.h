// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "probes/mesh.h"
#include "probes/responder.h"

namespace roceready::daemon {

/// Counts that only grow, by what they count, as the log tells them. Threads: one.
class GrownCounts {
 public:
  using Counts = std::map<std::string, std::uint64_t>;
  /// What came since the time before, "3 a wrong signature, 1 replayed"; nothing came: absent.
  [[nodiscard]] std::optional<std::string> update(const Counts& now);

 private:
  Counts last_;
};

/// What a responder did not answer, and what a mesh did not take.
[[nodiscard]] GrownCounts::Counts counts_of(const probes::Responder::Status& status);
[[nodiscard]] GrownCounts::Counts counts_of(const probes::UdProber::Refusals& refused,
                                            const probes::UdProber::Discards& discarded);

}  // namespace roceready::daemon

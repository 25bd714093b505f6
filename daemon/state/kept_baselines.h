// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/baselines.h"

namespace roceready::daemon {

/// Now, by the clock of the probes (probes::verbs::Verbs::now_ns) and on the wall: the former begins anew with each
/// boot.
struct ProbeTime {
  std::int64_t probes_ns = 0, wall_ns = 0;
};

/// As JSON, the newest first, as many as fit into `most_bytes`; those that nobody refreshed for too long are left out.
[[nodiscard]] std::string kept_baselines_text(const std::vector<probes::LinkBaseline>& baselines, const ProbeTime& now,
                                              std::size_t most_bytes);

struct KeptBaselines {
  std::vector<probes::LinkBaseline> baselines;  ///< their times by the clock of the probes, before 0 where need be
  std::size_t old = 0;                          ///< left out: kBaselineAgeNs have passed
  std::size_t senseless = 0;                    ///< left out: a member is missing, of another type or beyond all range
  std::string why;                              ///< of the first of these; with no baselines, perhaps of the whole
};
/// The inverse; what makes no sense costs the one baseline that it is in.
[[nodiscard]] KeptBaselines kept_baselines_from(const std::string& text, const ProbeTime& now);

}  // namespace roceready::daemon

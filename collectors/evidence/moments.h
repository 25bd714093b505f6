// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectors/evidence/section.h"
#include "core/base/time.h"

namespace roceready::evidence {

/// Outputs that belong together in time.
struct Moment {
  Instant at;                         ///< wall_ns 0: no file says when
  std::vector<std::size_t> sections;  ///< indexes, in the order in which they are to be read
};
struct Moments {
  std::vector<Moment> list;       ///< oldest first, at least one
  bool interval_unknown = false;  ///< the files hold counters twice, and nothing says how long lies between: one moment
};

/// Tells when each output was made: by "t0", "t1" in names, else by the order in which a command's counters come again.
/// How long lies between is `interval_ns`, else the difference of the stated times, else of the files' times where they
/// lie at least a second apart (a copy's do not) and the names of the files, or what they say of host and port, tell
/// that they are of two times: else the newest of contradicting outputs is kept, and there is one moment. Times of two
/// clocks are not compared. At most Bundle::kMostMoments: of more, some in a row are one. What the interval rests on,
/// and what was left out, is added to `assumptions`. Outputs that come once belong to all moments and are read first.
[[nodiscard]] Moments moments_of(const std::vector<Section>& sections, std::int64_t interval_ns,
                                 std::vector<std::string>& assumptions);

}  // namespace roceready::evidence

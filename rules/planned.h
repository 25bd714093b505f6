// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/reading.h"
#include "core/snapshot/snapshot.h"
#include "rules/report.h"

namespace roceready::rules {

/// What planned rules would have seen on ports of these modes (bits): one entry for each source that is not asked.
void add_planned(std::uint8_t modes, std::vector<Gap>& gaps);

/// What the modifier macsec asks for, and no rule looks at yet: one entry, for ports of these modes (bits).
void add_macsec(std::uint8_t modes, std::vector<Gap>& gaps);

/// Whether a rule can say nothing without probes to other nodes or what these say of themselves.
[[nodiscard]] bool rests_on_probes(const Rule& rule);
/// What such rules would have seen on ports of these modes, while probes are off (`why`): one entry.
void add_unprobed(std::uint8_t modes, const Absent& why, std::vector<Gap>& gaps);

/// What is probed, or should be, and cannot be judged, since the facts do not hold it: peers that were left out, and
/// those that are not known since something is wrong with a source of peers. No peer that is known suffers from it.
void add_untold(const ProbeFacts& facts, std::vector<Gap>& gaps);

/// Whether a person's measurement of bandwidth is among the facts.
[[nodiscard]] bool was_measured(const Snapshot& snapshot);
/// What rules on such measurements would have seen on ports of these modes, where nobody has measured: one entry.
void add_unmeasured(std::uint8_t modes, std::vector<Gap>& gaps);

}  // namespace roceready::rules

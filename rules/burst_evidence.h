// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rules/evidence.h"

namespace roceready::rules {

/// Adds how the counters that a failed rule reads grew while they were polled faster than samples are taken: a rate
/// over a window hides whether it came evenly or all at once. Nothing where no burst is fresh. At most four items.
void add_bursts(const Evidence& seen, std::vector<EvidenceItem>& evidence);

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rules/report.h"

namespace roceready::rules {

class Evidence;

/// The commands of a finding of the rule in hand: those of its recipes; of a rule that follows a chain, those of the
/// hop that breaks and no others.
[[nodiscard]] std::vector<FixCommand> fix_of(const Evidence& seen);

}  // namespace roceready::rules

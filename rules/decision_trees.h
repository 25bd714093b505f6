// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/history/history.h"
#include "rules/report.h"
#include "rules/verdict.h"

namespace roceready::rules {

/// Loss or pause was seen and no finding explains it: writes into `next` of such roots which branch of the decision
/// tree the evidence at hand leaves (docs/causes.md), and what to check there. Claims nothing that could not be read.
void look_next(std::vector<Finding>& findings, const std::vector<RuleJudgement>& said, const History& history);

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// False, with the reason written, where no daemon compares settings with earlier ones.
bool settings_are_kept(const Evidence& seen, Outcomes& out);
/// Settings of this port that differ from the accepted ones and satisfy the test, as words: "pfc of eth0 is none, it
/// was 3". Adds evidence for each.
[[nodiscard]] std::string drift_words(const Evidence& seen, std::vector<EvidenceItem>& evidence,
                                      const std::function<bool(const SettingDrift&)>& test);

}  // namespace roceready::rules

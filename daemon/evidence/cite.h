// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collectors/evidence/draft.h"
#include "rules/report.h"

namespace roceready::daemon {

/// Puts file and line in the place of what the live node would have asked: "ethtool statistics of eth0" becomes
/// "ethtool_S.txt:17 (ethtool statistics of eth0)". A source that no file holds stays.
void cite_files(const evidence::Draft& draft, rules::Report& report);

/// Commands whose output would settle what the report does not know, those that settle most first; at most `most`.
[[nodiscard]] std::vector<std::string> commands_to_ask_for(const rules::Report& report, std::size_t most);

}  // namespace roceready::daemon

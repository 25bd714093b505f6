// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rules/recipes.h"

namespace roceready::rules {

/// Commands of the recipes that repair the host rather than the NIC. `netdev` is that of the subject, "" for the node.
[[nodiscard]] std::vector<FixCommand> host_commands(Recipe recipe, const Evidence& seen, const std::string& netdev);

}  // namespace roceready::rules

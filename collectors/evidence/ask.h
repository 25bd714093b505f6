// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot/snapshot.h"

namespace roceready::evidence {

/// Gives every fact that no file states the command whose output would state it, in the reason of its absence:
/// "no file says it: `ethtool -a eth0` does".
void name_commands(Snapshot& snapshot);

/// The command that such a reason names; "" where it names none.
[[nodiscard]] std::string command_in_reason(std::string_view detail);
/// The reason as name_commands() writes it.
[[nodiscard]] std::string reason_with_command(const std::string& command);

}  // namespace roceready::evidence

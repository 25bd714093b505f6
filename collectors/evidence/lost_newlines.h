// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roceready::evidence {

/// The lines of a text that a web page or a mail made one line of: mlnx_qos by the words that begin its lines, ethtool
/// -S by its values. Empty for a line that is one.
[[nodiscard]] std::vector<std::string> with_newlines(std::string_view line);

}  // namespace roceready::evidence

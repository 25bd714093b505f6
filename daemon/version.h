// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roceready::daemon {

[[nodiscard]] std::string version();  ///< "0.1.0"
/// Compiler, build type and, where the packager gave one, the revision.
[[nodiscard]] std::string compiler();
[[nodiscard]] std::string build_type();
[[nodiscard]] std::string revision();  ///< "" where nobody said

}  // namespace roceready::daemon

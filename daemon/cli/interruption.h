// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roceready::daemon::cli {

/// From now on SIGINT and SIGTERM ask a command to end early and to tell what it has, instead of ending the program.
void watch_for_interruption();
/// Whether one came since.
[[nodiscard]] bool interrupted();

}  // namespace roceready::daemon::cli

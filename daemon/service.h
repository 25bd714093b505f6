// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace roceready::daemon {

struct ServiceOptions {
  std::optional<std::string> config_file;
  std::optional<std::string> host;               ///< recorded host to serve
  std::map<std::string, std::string> overrides;  ///< options from the command line
};

/// The daemon: sampling thread, HTTP server, signals. Returns when SIGTERM or SIGINT has ended it.
/// Threads: blocks the signals that it waits for in the calling thread first, so all others inherit that.
[[nodiscard]] Result<void> serve(const ServiceOptions& options);

}  // namespace roceready::daemon

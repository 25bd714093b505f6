// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace roceready::daemon::http {

/// Numeric addresses of a name, in the order in which to try them. May take as long as it likes.
using Resolver = std::function<Result<std::vector<std::string>>(const std::string& name)>;

/// The system's: /etc/hosts, DNS, whatever nsswitch.conf says. Takes minutes where the name servers are silent.
[[nodiscard]] Result<std::vector<std::string>> ask_system(const std::string& name);

/// The same within `most_ms`, else TimedOut. The C library's look-up cannot be stopped, so it has a thread of its own,
/// which is left behind; while 16 of those hang, further names are refused at once. An address is its own answer.
/// Threads: any.
[[nodiscard]] Result<std::vector<std::string>> addresses_of(const std::string& name, int most_ms,
                                                            const Resolver& resolver = ask_system);

}  // namespace roceready::daemon::http

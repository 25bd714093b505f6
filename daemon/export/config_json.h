// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "daemon/export/port_json.h"

namespace roceready::daemon {

/// Key → {value, origin}, lists as arrays. Values that are themselves secrets are hidden.
[[nodiscard]] Json config_json(const std::map<std::string, std::string>& values,
                               const std::map<std::string, std::string>& origin);

}  // namespace roceready::daemon

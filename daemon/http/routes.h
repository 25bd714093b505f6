// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "daemon/http/message.h"

namespace roceready::daemon::http {

struct Route {
  const char* path;  ///< exact, or a prefix where it ends in "{id}"
  const char* help;
  Response (*answer)(const Request& request, const Site& site);
  std::size_t most_body_bytes = 0;  ///< 0: read with GET or HEAD; else it takes a POST with a body of at most that
};

[[nodiscard]] const std::vector<Route>& routes();
/// Most bytes of a body that a POST to this path may have; 0 where there is nothing to post to.
[[nodiscard]] std::size_t most_body_bytes(const std::string& path);
/// The whole server but its sockets: finds the resource; 404 and 405 say what exists.
[[nodiscard]] Response answer(const Request& request, const Site& site);

}  // namespace roceready::daemon::http

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"

namespace roceready::daemon::http {

struct Fetched {
  int status = 0;
  std::string body;
  std::string verdict;  ///< X-Roceready-Verdict, "" when missing
};

/// GET of a path of a running daemon: `http://host:port` and the path with its query. 2 s to connect, 5 s for the
/// answer, 64 MiB at most. Not reachable: an Io error that says what to try.
[[nodiscard]] Result<Fetched> fetch(const std::string& base_url, const std::string& path);
/// POST of JSON to a daemon's path, from peer to peer: `timeout_ms` for everything but the look-up of a name; an answer
/// has 256 KiB at most.
[[nodiscard]] Result<Fetched> post(const std::string& base_url, const std::string& path, const std::string& body,
                                   int timeout_ms = 2000);
/// Text for a query value.
[[nodiscard]] std::string query_escaped(const std::string& text);

}  // namespace roceready::daemon::http

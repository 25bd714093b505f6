// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "daemon/http/look_up.h"

namespace roceready::daemon::http {

struct Fetched {
  int status = 0;
  std::string body;
  std::string verdict;      ///< X-Roceready-Verdict, "" when missing
  std::string retry_after;  ///< Retry-After of the answer to a POST, "" when missing
};

/// What an answer may cost.
struct FetchLimits {
  int whole_ms = 0;  ///< for everything; 0: 5 s to look a name up, 2 s to connect and 5 s between bytes
  std::size_t most_bytes = std::size_t{64} << 20U;
};
/// GET of a path of a running daemon: `http://host:port` and the path with its query. A name's addresses are tried in
/// turn until one accepts the connection, each for an even part of the time. Not reachable: an error that says
/// what to try; NotFound where nothing accepts connections, TimedOut where the time is over, Malformed where the answer
/// is too long, else Io.
[[nodiscard]] Result<Fetched> fetch(const std::string& base_url, const std::string& path,
                                    const FetchLimits& limits = {}, const Resolver& resolver = ask_system);
/// POST of JSON to a daemon's path, from peer to peer: `timeout_ms` for everything; an answer has 256 KiB at most.
[[nodiscard]] Result<Fetched> post(const std::string& base_url, const std::string& path, const std::string& body,
                                   int timeout_ms = 2000, const Resolver& resolver = ask_system);
/// Text for a query value.
[[nodiscard]] std::string query_escaped(const std::string& text);

}  // namespace roceready::daemon::http

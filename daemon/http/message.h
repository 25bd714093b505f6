// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/published.h"

namespace roceready::daemon::http {

/// A request as resources see it; no socket in sight.
struct Request {
  std::string method = "GET";
  std::string path;                          ///< decoded, without the query
  std::map<std::string, std::string> query;  ///< first value of each name
  std::string accept, accept_encoding;       ///< header values, "" when missing
  std::string body;                          ///< of a POST to a resource that takes one, "" else
  std::string remote;                        ///< IP address of who asks, "" where it is not known
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  Text body;
  std::map<std::string, std::string> headers;
};

/// What a peer's request for a probe session led to: JSON with 200, else the detail of a problem.
struct SessionAnswer {
  int status = 200;
  std::string text;
  int retry_after_seconds = 0;  ///< of a 503 that will pass by itself; 0: not told
};

/// What a process serves: everything, or what answering probes takes (`roceready responder`).
enum class Serves { All, Sessions };

/// What resources may look at: the newest sample, and a clock for the sampler's health. Never the host.
struct Site {
  const Board& board;
  std::function<std::int64_t()> monotonic_ns;
  /// Answers a peer that wants to probe; from any worker's thread. Empty: this process answers no probes.
  std::function<SessionAnswer(const std::string& body, const std::string& remote)> probe_session = {};
  Serves serves = Serves::All;
  /// What the probes of this process know at this moment (JSON of ProbeFacts); nothing while none run. Fresher than the
  /// newest sample, so that who asks each second hears them each second, however rarely samples are taken. Empty: only
  /// samples tell.
  std::function<std::optional<std::string>()> probe_results = {};
};

[[nodiscard]] Response text_response(std::string body, std::string content_type = "text/plain; charset=utf-8",
                                     int status = 200);
[[nodiscard]] Response json_response(std::string body, int status = 200);
/// application/problem+json (RFC 9457): title, status, detail.
[[nodiscard]] Response problem(int status, std::string_view title, std::string_view detail);
/// 503 while no report exists yet.
[[nodiscard]] Response stale_report();  ///< a report exists, and the sampler no longer ticks
[[nodiscard]] Response no_report_yet();

}  // namespace roceready::daemon::http

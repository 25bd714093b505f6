// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response probe_session(const Request& request, const Site& site) {
  if (!site.probe_session)
    return problem(404, "No probes here", "This process answers no probes: it serves a recorded host.");
  SessionAnswer said = site.probe_session(request.body, request.remote);
  if (said.status == 200) return json_response(std::move(said.text));
  Response out = problem(said.status, "No session", said.text);
  if (said.retry_after_seconds > 0) out.headers["Retry-After"] = std::to_string(said.retry_after_seconds);
  return out;
}

}  // namespace roceready::daemon::http

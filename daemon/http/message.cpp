// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/message.h"

#include <utility>

#include "daemon/export/port_json.h"

namespace roceready::daemon::http {

Response text_response(std::string body, std::string content_type, int status) {
  Response out;
  out.status = status;
  out.content_type = std::move(content_type);
  out.body = std::make_shared<const std::string>(std::move(body));
  return out;
}

Response json_response(std::string body, int status) {
  return text_response(std::move(body), "application/json", status);
}

Response problem(int status, std::string_view title, std::string_view detail) {
  const Json body{
      {"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", json_text(std::string(detail))}};
  return text_response(json_dump(body), "application/problem+json", status);
}

Response stale_report() {
  return problem(
      503, "Sampler is stuck",
      "The sampler has not ticked for ten intervals, so the last report says nothing about now; a driver call "
      "may hang. See the log.");
}

Response no_report_yet() {
  Response out = problem(503, "No report yet", "The first sample has not been judged. Try again in a few seconds.");
  out.headers["Retry-After"] = "2";
  return out;
}

}  // namespace roceready::daemon::http

// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/incidents.h"

#include <set>

#include "core/base/text.h"
#include "daemon/export/filter.h"
#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response incidents(const Request& request, const Site& site) {
  static const std::set<std::string> kKnown = {"since", "port", "format"};
  for (const auto& [name, value] : request.query)
    if (!kKnown.contains(name))
      return problem(400, "Unknown parameter", "\"" + clean_text(name) + "\" is none of since, port, format");
  const auto asked = request.query.find("format");
  const std::string format = asked == request.query.end() ? "json" : asked->second;
  if (format != "json" && format != "text")
    return problem(400, "Unknown format", "format is json or text, not \"" + clean_text(format) + "\"");
  const auto sample = site.board.latest();
  if (!sample) return no_report_yet();
  // The newest sample is now: a handler asks no clock of the host.
  const std::int64_t now = sample->report().at.wall_ns;
  IncidentFilter filter;
  if (const auto since = request.query.find("since"); since != request.query.end()) {
    const auto parsed = parse_since(since->second, now);
    if (!parsed) return problem(400, "Bad parameter", "since: " + parsed.error().text());
    filter.since_wall_ns = *parsed;
  }
  if (const auto port = request.query.find("port"); port != request.query.end()) {
    const auto parsed = parse_port_filter(port->second);
    if (!parsed) return problem(400, "Bad parameter", parsed.error().text());
    filter.device = parsed->device;
    filter.port = parsed->port;
  }
  if (sample->incidents() == nullptr)
    return problem(404, "No incidents here", "A recorded host is served; incidents are followed on a live one.");
  const IncidentList list = filtered(*sample->incidents(), filter);
  if (format == "text") return text_response(incidents_text(list, now, false));
  return json_response(incidents_json(list, now));
}

}  // namespace roceready::daemon::http

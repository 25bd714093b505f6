// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "core/base/text.h"
#include "daemon/export/filter.h"
#include "daemon/export/json.h"
#include "daemon/export/text.h"
#include "daemon/http/resources.h"

namespace roceready::daemon::http {
namespace {

std::string value_of(const Request& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::string() : found->second;
}

Result<ReportFilter> filter_of(const Request& request) {
  ReportFilter out;
  if (const std::string port = value_of(request, "port"); !port.empty()) {
    auto parsed = parse_port_filter(port);
    if (!parsed) return parsed.error();
    out = *parsed;
  }
  if (const std::string severity = value_of(request, "min_severity"); !severity.empty()) {
    const auto parsed = parse_severity(severity);
    if (!parsed) return parsed.error();
    out.min_severity = *parsed;
  }
  return out;
}

}  // namespace

Response diagnose(const Request& request, const Site& site) {
  static const std::set<std::string> kKnown = {"format", "port", "min_severity", "verbose"};
  for (const auto& [name, value] : request.query)
    if (!kKnown.contains(name))
      return problem(400, "Unknown parameter",
                     "\"" + clean_text(name) + "\" is none of format, port, min_severity, verbose");
  const std::string format = value_of(request, "format");
  if (!format.empty() && format != "json" && format != "text")
    return problem(400, "Unknown format", "format is json or text, not \"" + clean_text(format) + "\"");
  const auto filter = filter_of(request);
  if (!filter) return problem(400, "Bad parameter", filter.error().text());

  const auto sample = site.board.latest();
  if (!sample) return no_report_yet();
  if (!site.board.ticks(site.monotonic_ns())) return stale_report();
  // A gate that asks for text still needs the verdict.
  const auto finish = [&](Response out, const rules::Report& report) {
    out.headers["X-Roceready-Verdict"] = name_of(report.verdict);
    return out;
  };
  if (filter->everything() && format != "text") {
    Response out = json_response("");
    out.body = sample->json();
    return finish(std::move(out), sample->report());
  }
  const auto report = filtered(sample->report(), *filter);
  if (!report) return problem(404, "No such port", report.error().text());
  if (format == "text") {
    TextOptions options;
    options.verbose = value_of(request, "verbose") == "1";
    return finish(text_response(report_text(*report, options)), *report);
  }
  return finish(json_response(report_json(*report)), *report);
}

}  // namespace roceready::daemon::http

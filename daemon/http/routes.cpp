// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/routes.h"

#include <string_view>

#include "core/base/text.h"
#include "daemon/http/resources.h"

namespace roceready::daemon::http {
namespace {

constexpr std::string_view kId = "{id}";
constexpr std::size_t kMostSessionBytes = std::size_t{64} * 1024;

bool matches(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with(kId)) return pattern == path;
  pattern.remove_suffix(kId.size());
  return path.size() > pattern.size() && path.starts_with(pattern) &&
         path.find('/', pattern.size()) == std::string_view::npos;
}

Response not_found(const Request& request) {
  std::vector<std::string> paths;
  std::string list;
  for (const Route& route : routes()) {
    paths.emplace_back(route.path);
    list += (list.empty() ? "" : ", ") + paths.back();
  }
  const std::string near = nearest_of(request.path, paths);
  return problem(404, "Not found",
                 "There is no " + clean_text(request.path) + "." + (near.empty() ? "" : " Did you mean " + near + "?") +
                     " There is: " + list);
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> table = {
      {"/", "this node for a browser", page},
      {"/metrics", "Prometheus text format or OpenMetrics", metrics},
      {"/diagnose",
       "the report: JSON, or ?format=text; ?port=DEVICE[/N], ?min_severity=info|warning|critical, ?verbose=1",
       diagnose},
      {"/healthz", "200 while the sampler ticks", healthz},
      {"/readyz", "200 once a report exists", readyz},
      {"/api/v1/snapshot", "the facts of the newest sample", snapshot},
      {"/api/v1/ports", "the ports of the report", ports},
      {"/api/v1/incidents", "what happened, begin to end: ?since=24h or RFC 3339, ?port=DEVICE[/N], ?format=text",
       incidents},
      {"/api/v1/probes", "what RDMA probes found, peer by peer, and what the peers say of themselves", probes},
      {"/api/v1/rules", "all rules", rules_list},
      {"/api/v1/rules/{id}", "one rule with its texts and limits", rule_by_id},
      {"/api/v1/config", "the configuration in force, and whether the last reload was good", config},
      {"/api/v1/probe/session", "POST, for peers: how to send RDMA probes here", probe_session, kMostSessionBytes},
  };
  return table;
}

std::size_t most_body_bytes(const std::string& path) {
  for (const Route& route : routes())
    if (matches(route.path, path)) return route.most_body_bytes;
  return 0;
}

Response answer(const Request& request, const Site& site) {
  if (site.serves == Serves::Sessions) {
    if (request.path == "/healthz") return text_response("answering probes\n");
    if (most_body_bytes(request.path) == 0)
      return problem(404, "Not found",
                     "This process answers RDMA probes alone: /healthz, and POST to /api/v1/probe/session.");
  }
  for (const Route& route : routes()) {
    if (!matches(route.path, request.path)) continue;
    const bool reads = request.method == "GET" || request.method == "HEAD";
    const bool takes_body = route.most_body_bytes > 0;
    if (takes_body ? request.method != "POST" : !reads) {
      Response out = problem(405, "Method not allowed",
                             takes_body ? "Peers POST to this." : "Everything here is read with GET or HEAD.");
      out.headers["Allow"] = takes_body ? "POST" : "GET, HEAD";
      return out;
    }
    return route.answer(request, site);
  }
  return not_found(request);
}

}  // namespace roceready::daemon::http

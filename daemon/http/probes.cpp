// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response probes(const Request&, const Site& site) {
  if (site.probe_results)
    if (auto newest = site.probe_results()) return json_response(std::move(*newest) + "\n");
  const auto sample = site.board.latest();
  if (!sample || !sample->report().snapshot) return no_report_yet();
  const nlohmann::json all = to_json(*sample->report().snapshot);
  return json_response(all.at("probes").dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace roceready::daemon::http

// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_json.h"

#include <nlohmann/json.hpp>

#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response snapshot(const Request&, const Site& site) {
  const auto sample = site.board.latest();
  if (!sample || !sample->report().snapshot) return no_report_yet();
  const nlohmann::json json = to_json(*sample->report().snapshot);
  return json_response(json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace roceready::daemon::http

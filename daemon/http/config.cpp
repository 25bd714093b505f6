// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/config_json.h"
#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response config(const Request&, const Site& site) {
  const auto view = site.board.config();
  if (!view) return no_report_yet();
  Json out;
  out["file"] = json_text_or_null(view->file);
  out["loaded_at"] = json_time(view->loaded_wall_ns);
  out["reload_success"] = view->reload_success;
  out["problems"] = Json::array();
  for (const auto& each : view->problems)
    out["problems"].push_back(Json{{"key", json_text_or_null(each.key)}, {"message", json_text(each.message)}});
  out["values"] = config_json(view->values, view->origin);
  return json_response(json_dump(out));
}

}  // namespace roceready::daemon::http

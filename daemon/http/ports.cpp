// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/json.h"
#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response ports(const Request&, const Site& site) {
  const auto sample = site.board.latest();
  return sample ? json_response(ports_json(sample->report())) : no_report_yet();
}

}  // namespace roceready::daemon::http

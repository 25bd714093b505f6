// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response healthz(const Request&, const Site& site) {
  if (site.board.ticks(site.monotonic_ns())) return text_response("ok\n");
  return stale_report();
}

Response readyz(const Request&, const Site& site) {
  if (!site.board.latest()) return no_report_yet();
  return site.board.ticks(site.monotonic_ns()) ? text_response("ok\n") : stale_report();
}

}  // namespace roceready::daemon::http

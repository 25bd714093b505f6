// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/negotiation.h"
#include "daemon/http/resources.h"

namespace roceready::daemon::http {

Response metrics(const Request& request, const Site& site) {
  const auto sample = site.board.latest();
  if (!sample) return no_report_yet();
  if (!site.board.ticks(site.monotonic_ns())) return stale_report();
  const MetricsFormat format = metrics_format(request.accept);
  Response out;
  out.content_type = content_type_of(format);
  out.headers["Vary"] = "Accept, Accept-Encoding";
  if (wants_gzip(request.accept_encoding)) {
    out.body = sample->metrics(format, true);
    if (!out.body->empty()) {
      out.headers["Content-Encoding"] = "gzip";
      return out;
    }
  }
  out.body = sample->metrics(format, false);
  return out;
}

}  // namespace roceready::daemon::http

// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "daemon/export/text.h"
#include "daemon/http/resources.h"
#include "daemon/http/routes.h"
#include "daemon/version.h"

namespace roceready::daemon::http {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string links() {
  std::string out = "<ul>";
  for (const Route& route : routes()) {
    const std::string_view path = route.path;
    if (path == "/" || path.ends_with("}")) continue;
    out += "<li><a href=\"" + escaped(path) + "\">" + escaped(path) + "</a> " + escaped(route.help) + "</li>";
  }
  return out + "</ul>";
}

}  // namespace

Response page(const Request&, const Site& site) {
  const auto sample = site.board.latest();
  const std::string verdict = sample ? name_of(sample->report().verdict) : "initializing";
  std::string body =
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"10\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
      verdict +
      " - roceready</title><style>body{font:15px sans-serif;margin:1.5em;max-width:70em}pre{font:13px monospace;"
      "white-space:pre-wrap;border-left:4px solid #888;padding-left:1em}pre.ready{border-color:#2a2}"
      "pre.not_ready{border-color:#c22}pre.degraded{border-color:#c90}</style></head><body><pre class=\"" +
      verdict + "\">" + escaped(sample ? report_text(sample->report()) : "No report yet.\n") + "</pre>" + links() +
      "<p>roceready " + escaped(version()) + "</p></body></html>\n";
  Response out = text_response(std::move(body), "text/html; charset=utf-8");
  out.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'";
  return out;
}

}  // namespace roceready::daemon::http

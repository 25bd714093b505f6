// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "daemon/http/server.h"

namespace roceready::daemon::http {

std::string Endpoint::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(const std::string& text) {
  const auto bad = [&] {
    return Error{ErrorCode::Usage,
                 "\"" + clean_text(text) + "\" is not an address; write HOST:PORT, e.g. 127.0.0.1:9885 or [::]:9885",
                 "", 0};
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return bad();
  const auto port = parse_u64(text.substr(colon + 1));
  if (!port || *port > 65535) return bad();
  std::string host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']') || host.size() < 4) return bad();
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return bad();  // "::1:9885" could mean two things
  }
  if (host.empty() || host == "*") host = "::";
  return Endpoint{host, static_cast<int>(*port)};
}

}  // namespace roceready::daemon::http

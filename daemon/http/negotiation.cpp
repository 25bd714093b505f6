// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/negotiation.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"

namespace roceready::daemon::http {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

}  // namespace

double weight_of(std::string_view header, std::string_view name) {
  double best = 0;
  for (const std::string_view entry : split(header, ',')) {
    const auto parts = split(entry, ';');
    if (lower(trim(parts.front())) != name) continue;
    double weight = 1;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string parameter = lower(trim(parts[i]));
      if (parameter.starts_with("q=")) weight = std::clamp(parse_double(parameter.substr(2)).value_or(0), 0.0, 1.0);
    }
    best = std::max(best, weight);
  }
  return best;
}

MetricsFormat metrics_format(std::string_view accept) {
  const double open = weight_of(accept, "application/openmetrics-text");
  return open > 0 && open >= weight_of(accept, "text/plain") ? MetricsFormat::OpenMetrics : MetricsFormat::Text;
}

bool wants_gzip(std::string_view accept_encoding) {
  return weight_of(accept_encoding, "gzip") > 0;
}

}  // namespace roceready::daemon::http

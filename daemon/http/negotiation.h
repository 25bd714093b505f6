// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "daemon/export/exposition.h"

namespace roceready::daemon::http {

/// Format for an Accept header: OpenMetrics only when it is named, with a weight no smaller than that of plain text.
[[nodiscard]] MetricsFormat metrics_format(std::string_view accept);
/// Whether an Accept-Encoding header allows gzip (a weight of 0 forbids it).
[[nodiscard]] bool wants_gzip(std::string_view accept_encoding);
/// Largest weight (q) with which a header names something; 1 where it gives none.
[[nodiscard]] double weight_of(std::string_view header, std::string_view name);  ///< 0 when it is not named

}  // namespace roceready::daemon::http

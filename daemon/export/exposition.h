// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace roceready::daemon {

enum class MetricsFormat { Text, OpenMetrics };

/// Content type of a format, with its version.
[[nodiscard]] const char* content_type_of(MetricsFormat format);
/// Families as text format 0.0.4, or as OpenMetrics 1.0 (counters' families without _total, `# EOF`). Counters and
/// gauges only. Numbers do not depend on the locale.
[[nodiscard]] std::string exposition(const std::vector<prometheus::MetricFamily>& families, MetricsFormat format);
/// gzip, fast: a scrape waits for it. Empty on failure.
[[nodiscard]] std::string gzipped(const std::string& text);

}  // namespace roceready::daemon

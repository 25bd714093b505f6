// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/exposition.h"

#include <prometheus/metric_family.h>
#include <zlib.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace roceready::daemon {
namespace {

void append_escaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out += c;
  }
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    out.append(buffer.data(), end.ptr);
  }
}

/// One line. `suffix` and `bound` are those of a histogram's parts.
void append_line(std::string& out, const prometheus::MetricFamily& family, const prometheus::ClientMetric& metric,
                 std::string_view suffix, const double* bound, double value) {
  out.append(family.name).append(suffix);
  char separator = '{';
  for (const auto& label : metric.label) {
    out += separator;
    out += label.name;
    out += "=\"";
    append_escaped(out, label.value, true);
    out += '"';
    separator = ',';
  }
  if (bound != nullptr) {
    out += separator;
    out += "le=\"";
    append_number(out, *bound);
    out += '"';
    separator = ',';
  }
  if (separator == ',') out += '}';
  out += ' ';
  append_number(out, value);
  out += '\n';
}

void append_sample(std::string& out, const prometheus::MetricFamily& family, const prometheus::ClientMetric& metric) {
  if (family.type != prometheus::MetricType::Histogram) {
    const bool counter = family.type == prometheus::MetricType::Counter;
    return append_line(out, family, metric, "", nullptr, counter ? metric.counter.value : metric.gauge.value);
  }
  for (const auto& bucket : metric.histogram.bucket)
    append_line(out, family, metric, "_bucket", &bucket.upper_bound, static_cast<double>(bucket.cumulative_count));
  append_line(out, family, metric, "_sum", nullptr, metric.histogram.sample_sum);
  append_line(out, family, metric, "_count", nullptr, static_cast<double>(metric.histogram.sample_count));
}

const char* name_of(prometheus::MetricType type) {
  if (type == prometheus::MetricType::Counter) return "counter";
  return type == prometheus::MetricType::Histogram ? "histogram" : "gauge";
}

}  // namespace

const char* content_type_of(MetricsFormat format) {
  return format == MetricsFormat::OpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                              : "text/plain; version=0.0.4; charset=utf-8";
}

std::string exposition(const std::vector<prometheus::MetricFamily>& families, MetricsFormat format) {
  static constexpr std::string_view kTotal = "_total";
  const bool open = format == MetricsFormat::OpenMetrics;
  std::size_t samples = 0;
  for (const auto& family : families) samples += family.metric.size();
  std::string out;
  out.reserve(samples * 110 + families.size() * 200);
  for (const auto& family : families) {
    if (family.metric.empty()) continue;
    const bool counter = family.type == prometheus::MetricType::Counter;
    std::string_view name = family.name;
    if (open && counter && name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
    out.append("# HELP ").append(name) += ' ';
    append_escaped(out, family.help, open);  // only OpenMetrics wants quotes of a help text escaped
    out.append("\n# TYPE ").append(name).append(" ").append(name_of(family.type)) += '\n';
    for (const auto& metric : family.metric) append_sample(out, family, metric);
  }
  if (open) out += "# EOF\n";
  return out;
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // largest window, gzip header
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  // zlib does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int outcome = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return outcome == Z_STREAM_END ? out : std::string();
}

}  // namespace roceready::daemon

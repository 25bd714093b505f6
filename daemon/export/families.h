// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inner header of export/: prometheus-cpp's plain structs, for the .cpp files that fill them.

#include <prometheus/metric_family.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace roceready::daemon {

using Families = std::vector<prometheus::MetricFamily>;
using Labels = std::vector<prometheus::ClientMetric::Label>;

inline prometheus::MetricFamily family(std::string name, std::string help, prometheus::MetricType type) {
  prometheus::MetricFamily out;
  out.name = std::move(name);
  out.help = std::move(help);
  out.type = type;
  return out;
}

/// What is no finite number has no sample, as an absent reading has none.
inline void add_sample(prometheus::MetricFamily& to, Labels labels, double value) {
  if (!std::isfinite(value)) return;
  prometheus::ClientMetric& metric = to.metric.emplace_back();
  metric.label = std::move(labels);
  if (to.type == prometheus::MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
}

inline Labels port_labels(const std::string& device, std::uint32_t port, const std::string& netdev) {
  return {{"device", clean_text(device)},
          {"port", device.empty() ? "" : std::to_string(port)},
          {"netdev", clean_text(netdev)}};
}

inline Labels with(Labels labels, std::initializer_list<prometheus::ClientMetric::Label> more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "daemon/published.h"

#include <algorithm>
#include <utility>

#include "daemon/export/json.h"

namespace roceready::daemon {

Published::Published(rules::ReportPtr report, CounterTable counters, ProcessFacts process, DaemonFacts daemon,
                     std::shared_ptr<const IncidentList> incidents)
    : report_(std::move(report)),
      counters_(std::move(counters)),
      process_(process),
      daemon_(daemon),
      incidents_(std::move(incidents)) {}

Text Published::metrics(MetricsFormat format, bool gzip) const {
  const std::size_t plain = format == MetricsFormat::OpenMetrics ? 2 : 0;
  const std::lock_guard lock(mutex_);
  if (!metrics_[plain])
    metrics_[plain] = std::make_shared<const std::string>(metrics_text(*report_, counters_, process_, daemon_, format));
  if (!gzip) return metrics_[plain];
  if (!metrics_[plain + 1]) metrics_[plain + 1] = std::make_shared<const std::string>(gzipped(*metrics_[plain]));
  return metrics_[plain + 1];
}

Text Published::json() const {
  const std::lock_guard lock(mutex_);
  if (!json_) json_ = std::make_shared<const std::string>(report_json(*report_));
  return json_;
}

void Board::publish(std::shared_ptr<const Published> sample) {
  const std::lock_guard lock(mutex_);
  latest_.swap(sample);  // parameters outlive the lock: the old sample is freed without it
}

std::shared_ptr<const Published> Board::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void Board::set_config(std::shared_ptr<const ConfigView> view) {
  const std::lock_guard lock(mutex_);
  config_.swap(view);
}

std::shared_ptr<const ConfigView> Board::config() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

void Board::set_probe_refusals(ProbeRefusals refused) {
  const std::lock_guard lock(mutex_);
  probe_refusals_ = std::move(refused);
}

void Board::set_probe_baselines(Text text) {
  const std::lock_guard lock(mutex_);
  probe_baselines_ = std::move(text);
}

Text Board::probe_baselines() const {
  const std::lock_guard lock(mutex_);
  return probe_baselines_;
}

std::optional<ProbeRefusals> Board::probe_refusals() const {
  const std::lock_guard lock(mutex_);
  return probe_refusals_;
}

void Board::beat(std::int64_t monotonic_ns, std::int64_t interval_ns) {
  interval_ns_ = interval_ns;
  beat_ns_ = monotonic_ns;
}

bool Board::ticks(std::int64_t monotonic_now_ns) const {
  constexpr std::int64_t kLeast = 10'000'000'000;
  return beat_ns_ != 0 && monotonic_now_ns - beat_ns_ <= std::max(kLeast, 10 * interval_ns_);
}

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "daemon/export/prometheus.h"
#include "daemon/state/incident_list.h"
#include "rules/report.h"

namespace roceready::daemon {

using Text = std::shared_ptr<const std::string>;

/// One sample, judged, as everybody outside the sampling thread sees it.
/// Threads: any number of readers. Each rendering is made once, at the first request, and kept as long as the sample.
class Published {
 public:
  /// `incidents`: null where nobody follows them (a recorded host).
  Published(rules::ReportPtr report, CounterTable counters, ProcessFacts process, DaemonFacts daemon,
            std::shared_ptr<const IncidentList> incidents = nullptr);
  [[nodiscard]] const rules::Report& report() const { return *report_; }
  [[nodiscard]] Text metrics(MetricsFormat format, bool gzip) const;
  [[nodiscard]] Text json() const;  ///< the whole report
  [[nodiscard]] const IncidentList* incidents() const { return incidents_.get(); }

 private:
  rules::ReportPtr report_;
  CounterTable counters_;
  ProcessFacts process_;
  DaemonFacts daemon_;
  std::shared_ptr<const IncidentList> incidents_;
  mutable std::mutex mutex_;
  mutable std::array<Text, 4> metrics_;  ///< by format, plain and gzip
  mutable Text json_;
};

/// The configuration as /api/v1/config shows it.
struct ConfigView {
  std::map<std::string, std::string> values, origin;  ///< of the one in force
  std::string file;                                   ///< "" when there is none
  bool reload_success = true;
  std::int64_t loaded_wall_ns = 0;        ///< of the one in force
  std::vector<config::Problem> problems;  ///< why the newest file was refused
};

/// Where the sampling thread puts its newest sample, and handlers find it. The lock is held for a pointer copy alone.
class Board {
 public:
  void publish(std::shared_ptr<const Published> sample);
  [[nodiscard]] std::shared_ptr<const Published> latest() const;
  void set_config(std::shared_ptr<const ConfigView> view);
  [[nodiscard]] std::shared_ptr<const ConfigView> config() const;
  /// For the next sample.
  void set_probe_refusals(ProbeRefusals refused);
  [[nodiscard]] std::optional<ProbeRefusals> probe_refusals() const;
  /// What the probes want to have kept over a restart; null: nothing new.
  void set_probe_baselines(Text text);
  [[nodiscard]] Text probe_baselines() const;

  /// Life sign of the sampling thread, monotonic nanoseconds; 0 before the first.
  void beat(std::int64_t monotonic_ns, std::int64_t interval_ns);
  /// Whether it ticked within the last ten intervals (never less than 10 s: a driver may be slow).
  [[nodiscard]] bool ticks(std::int64_t monotonic_now_ns) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Published> latest_;
  std::shared_ptr<const ConfigView> config_;
  std::optional<ProbeRefusals> probe_refusals_;
  Text probe_baselines_;
  std::atomic<std::int64_t> beat_ns_{0}, interval_ns_{1'000'000'000};
};

}  // namespace roceready::daemon

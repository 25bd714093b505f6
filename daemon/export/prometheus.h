// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/export/counter_table.h"
#include "daemon/export/exposition.h"
#include "daemon/export/probe_metrics.h"
#include "daemon/export/series_limit.h"
#include "rules/report.h"

namespace roceready::daemon {

/// What our own process used, read with each sample.
struct ProcessFacts {
  double cpu_seconds = 0;
  double resident_bytes = 0, virtual_bytes = 0;
  double start_time_seconds = 0;  ///< since the epoch
  double open_fds = 0, max_fds = 0;
};

/// What is kept over a restart, and what happened.
struct KeepingFacts {
  bool writable = false;
  double file_bytes = 0;
  double open_warning = 0, open_critical = 0;    ///< incidents that last, by the gravest that they were
  double begun_warning = 0, begun_critical = 0;  ///< since the daemon started
  double settings_changed = 0;                   ///< and steps of the clock, since the daemon started
};

/// How the daemon fares.
struct DaemonFacts {
  std::uint64_t samples = 0;            ///< taken since start
  std::uint64_t bursts = 0;             ///< bursts of fast polling that began
  std::uint64_t samples_skipped = 0;    ///< ticks that came while the sample before still ran
  bool reload_success = true;           ///< outcome of the last reading of the configuration
  std::int64_t reload_wall_ns = 0;      ///< when the configuration in force was read
  std::optional<KeepingFacts> keeping;  ///< a recorded host has none
  std::optional<ProbeRefusals> probes;  ///< nor these
};

/// All metrics of one sample (docs/metrics.md).
[[nodiscard]] std::string metrics_text(const rules::Report& report, const CounterTable& counters,
                                       const ProcessFacts& process, const DaemonFacts& daemon, MetricsFormat format);

/// How many series of each port stand in metrics_text beside its counters.
[[nodiscard]] SeriesCount series_beside_counters(const rules::Report& report);

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/history/history.h"
#include "daemon/burst_plan.h"
#include "daemon/conditions.h"
#include "daemon/published.h"
#include "daemon/source.h"
#include "daemon/state/keeper.h"
#include "daemon/state/kept_ports.h"
#include "rules/engine.h"

namespace roceready::daemon {

/// What the configuration says about sampling and judging.
struct SamplingPlan {
  SamplerOptions sampler;
  rules::JudgeOptions judge;
  std::int64_t interval_ns = 1'000'000'000;
  bool bursts = true;  ///< poll RDMA counters faster for a while when trouble is suspected
};

/// One tick: sample, remember, judge, publish; of a recording, all its samples at once. Threads: one caller; readers
/// use the board.
class Sampling {
 public:
  /// `keeper`: null where nothing outlives the process (a recorded host).
  Sampling(std::unique_ptr<SampleSource> source, SamplingPlan plan, Board& board,
           std::unique_ptr<Keeper> keeper = nullptr);
  /// False when the source has no more samples; the last report stays published.
  bool tick(std::uint64_t skipped_so_far);
  /// The past stays; who judges starts anew, so that `since` of findings begins here, where judging changed.
  void change(SamplingPlan plan);
  /// Keeps what has to outlive the process; when the sampling thread has ended. False after `most_ms`.
  [[nodiscard]] bool finish(std::int64_t most_ms);
  /// Of round trips, as an earlier process kept them; before the first tick.
  [[nodiscard]] std::optional<std::string> kept_baselines() const;
  /// When the next step of a burst is due; nothing outside one. Monotonic nanoseconds.
  [[nodiscard]] std::optional<std::int64_t> next_burst_step_ns(std::int64_t now_ns) const;
  void burst_step(std::int64_t now_ns);
  [[nodiscard]] const SamplingPlan& plan() const { return plan_; }
  [[nodiscard]] const SampleSource& source() const { return *source_; }

 private:
  /// Whether what was kept brings a port into scope that the first snapshot left out: it has to be taken again.
  [[nodiscard]] bool resume(const Snapshot& first);
  [[nodiscard]] bool resume_ports(const Snapshot& first);
  void forget_excluded_ports();
  void keep_ports();
  void keep_baselines();
  void keep(const rules::Report& report, DaemonFacts& facts);
  void log_conditions(const rules::Report& report, const CounterTable& counters);

  std::unique_ptr<SampleSource> source_;
  SamplingPlan plan_;
  Board& board_;
  History history_;
  rules::Engine engine_;
  std::unique_ptr<Keeper> keeper_;
  Conditions conditions_;
  BurstPlan burst_;
  std::optional<KeptPorts> kept_ports_;
  Text kept_baselines_;
  std::uint64_t samples_ = 0;
};

}  // namespace roceready::daemon

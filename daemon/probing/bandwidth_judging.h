// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/history/history.h"
#include "core/snapshot/probe.h"
#include "daemon/source.h"
#include "probes/bandwidth.h"
#include "rules/engine.h"
#include "rules/evidence.h"

namespace roceready::daemon {

/// What the rule on it says of one measurement of bandwidth.
struct JudgedBandwidth {
  std::string rule;  ///< "probe-bandwidth-low", "probe-loopback-low"
  rules::Outcome outcome = rules::Outcome::Unknown;
  rules::Severity severity = rules::Severity::Info;  ///< Fail
  double confidence = 0;                             ///< Fail
  std::string sentence;                              ///< what was seen, or why it was not judged
  std::vector<std::string> causes;                   ///< Fail: keys of findings of this node that explain it
};

struct MeasuredBandwidth {
  probes::BandwidthResult result;
  JudgedBandwidth judged;
};

/// Looks at this node around measurements of bandwidth: what its ports carry before, and what its facts say of the
/// result. Threads: one.
class BandwidthJudging {
 public:
  /// The source outlives it. `wait` lets about a second pass.
  BandwidthJudging(SampleSource& source, rules::JudgeOptions options, std::function<void()> wait);

  /// Takes two samples a second apart; before each measurement.
  void look();
  /// What the run's port carried when it was looked at.
  void add_traffic(BandwidthRun& run) const;
  /// Fills in what is said of each; takes a sample. Once.
  void judge(std::vector<MeasuredBandwidth>& measured);

 private:
  SnapshotPtr sample();
  [[nodiscard]] JudgedBandwidth judge_alone(const BandwidthRun& run, const Snapshot& now) const;

  SampleSource& source_;
  rules::JudgeOptions options_;
  std::function<void()> wait_;
  History history_;
  std::map<std::string, Reading<double>> carried_;  // bits/s in the busier direction, by "mlx5_0/1"
};

}  // namespace roceready::daemon

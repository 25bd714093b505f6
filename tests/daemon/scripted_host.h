// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "daemon/source.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon {

/// A live host made of samples one second apart, of which a script says how each differs from the sample host.
class ScriptedHost : public SampleSource {
 public:
  using Script = std::function<void(Snapshot& sample, double second)>;
  /// `wall_ns`: wall time at second 0.
  ScriptedHost(Script script, double first_second, std::int64_t wall_ns = kSampleWall)
      : script_(std::move(script)), second_(first_second), wall_ns_(wall_ns) {}
  SnapshotPtr next() override {
    Snapshot out = sample_snapshot();
    const auto ns = static_cast<std::int64_t>(second_ * 1e9);
    out.before = out.after = {ns, wall_ns_ + ns};
    out.node.boot_id_hash = std::string("aaaa");
    for (CounterReadings* each : {&out.netdevs[0].counters, &out.ports[0].counters}) each->at_monotonic_ns = ns;
    script_(out, second_);
    second_ += 1;
    return std::make_shared<const Snapshot>(std::move(out));
  }
  [[nodiscard]] std::string kind() const override { return "live"; }
  [[nodiscard]] bool can_burst() const override { return may_burst; }
  void begin_burst() override { ++bursts; }
  void burst_step() override { ++steps; }

  bool may_burst = true;
  std::atomic<int> bursts{0}, steps{0};

 private:
  Script script_;
  double second_;
  std::int64_t wall_ns_;
};

/// A pause from the peer that begins at a second and ends at another; the priority sends while it is not paused.
struct Storm {
  double begin = 1e9, end = 1e9;
  void operator()(Snapshot& sample, double second) const {
    const double paused = second < begin ? 0 : (second < end ? second : end) - begin;
    CounterReadings& counters = sample.netdevs[0].counters;
    counters.driver_known = true;
    counters.offered = {CounterId::PfcRxPauseDuration, CounterId::TxBytesPriority};
    std::sort(counters.offered.begin(), counters.offered.end());
    counters.values = {
        {CounterId::PfcRxPauseDuration, 3, 64, static_cast<std::uint64_t>(paused * 0.997e6) + 2'500'000, 1e-6},
        {CounterId::TxBytesPriority, 3, 64, static_cast<std::uint64_t>((second - paused) * 5e9), 1.0}};
    std::sort(counters.values.begin(), counters.values.end(),
              [](const CounterValue& a, const CounterValue& b) { return a.id < b.id; });
  }
};

}  // namespace roceready::daemon

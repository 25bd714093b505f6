// SPDX-License-Identifier: Apache-2.0
// One second of the daemon's work, whole and stage by stage, on made-up mlx5 ports with 16 channels (about 1900
// statistics each). The kernel's own time is not in here: scripts/bench --lab measures that.
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "collectors/sampler.h"
#include "core/host/answer_key.h"
#include "daemon/export/counter_table.h"
#include "daemon/export/prometheus.h"
#include "rules/engine.h"
#include "tests/doubles/mlx5_host.h"

namespace roceready {
namespace {

constexpr char kProfile[] = "nvidia-lossless";
constexpr std::size_t kSamples = 12;
constexpr std::int64_t kSeconds = 4000;

Recording recorded_ports(std::size_t count) {
  doubles::Mlx5Host host = doubles::healthy_mlx5_host(count);
  host.samples = kSamples;
  host.port_counters = true;
  // What the kernel's own driver does not have is refused, not left out of the recording: only then is its absence
  // known.
  const auto missing = [&](const std::string& key) { host.refuse[key] = ENOENT; };
  for (doubles::Mlx5Member& member : host.members) {
    member.channels = 16;
    missing(answer_key::list("/sys/class/net/" + member.netdev + "/ecn"));
    missing(answer_key::file("/sys/class/net/" + member.netdev + "/qos/trust"));
  }
  for (const doubles::Mlx5Device& device : host.devices)
    missing(answer_key::file("/sys/class/infiniband/" + device.name + "/tc/1/traffic_class"));
  missing(answer_key::file("/etc/nccl.conf"));
  return host.build();
}

rules::JudgeOptions daemon_options() {
  rules::JudgeOptions options;
  options.profile = kProfile;
  options.one_shot = false;
  return options;
}

/// A daemon between two ticks, without threads and sockets.
class Tick {
 public:
  explicit Tick(std::size_t ports)
      : recording_(recorded_ports(ports)),
        recorded_(recording_),
        host_(recorded_.host()),
        sampler_({}),
        history_(rules::needed_signals()),
        engine_(daemon_options()) {
    for (std::size_t i = 0; i < kSamples; ++i) {
      recorded_.select(i);
      snapshots_.push_back(std::make_shared<const Snapshot>(sampler_.sample(host_)));
      history_.add(snapshots_.back());
    }
    // A daemon that has run for over an hour: all windows but the day's are full.
    for (std::int64_t second = 1; second <= kSeconds; ++second) history_.add(later(second));
    recorded_.select(kSamples - 1);
    report_ = engine_.judge(history_);
    counters_ = daemon::counter_table(*report_, history_);
  }

  SnapshotPtr sample() { return std::make_shared<const Snapshot>(sampler_.sample(host_)); }
  /// The same facts one second later, so that history takes them.
  void remember(const Snapshot& facts) {
    auto next = std::make_shared<Snapshot>(facts);
    const std::int64_t now = history_.now()->after.monotonic_ns + 1'000'000'000;
    next->before.monotonic_ns = now - 3'000'000;
    next->after.monotonic_ns = now;
    for (RdmaPort& port : next->ports) port.counters.at_monotonic_ns = now;
    for (Netdev& netdev : next->netdevs) netdev.counters.at_monotonic_ns = now;
    history_.add(std::move(next));
  }
  rules::ReportPtr judge() { return engine_.judge(history_); }
  daemon::CounterTable table(const rules::Report& report) { return daemon::counter_table(report, history_); }
  std::string metrics(const rules::Report& report, const daemon::CounterTable& counters) {
    return daemon::metrics_text(report, counters, {}, {}, daemon::MetricsFormat::Text);
  }
  /// The newest snapshot `seconds` later; counters went on as they did in its last second.
  [[nodiscard]] SnapshotPtr later(std::int64_t seconds) const {
    const Snapshot &before = *snapshots_[snapshots_.size() - 2], &last = *snapshots_.back();
    auto out = std::make_shared<Snapshot>(last);
    const std::int64_t shift = seconds * 1'000'000'000;
    for (Instant* at : {&out->before, &out->after}) *at = {at->monotonic_ns + shift, at->wall_ns + shift};
    const auto grow = [&](CounterReadings& counters, const CounterReadings& then) {
      counters.at_monotonic_ns += shift;
      for (std::size_t i = 0; i < counters.values.size(); ++i)
        counters.values[i].raw += static_cast<std::uint64_t>(seconds) * (counters.values[i].raw - then.values[i].raw);
    };
    for (std::size_t i = 0; i < out->ports.size(); ++i) grow(out->ports[i].counters, before.ports[i].counters);
    for (std::size_t i = 0; i < out->netdevs.size(); ++i) grow(out->netdevs[i].counters, before.netdevs[i].counters);
    return out;
  }
  [[nodiscard]] const Snapshot& newest() const { return *snapshots_.back(); }
  [[nodiscard]] const rules::Report& report() const { return *report_; }
  [[nodiscard]] const daemon::CounterTable& counters() const { return counters_; }

 private:
  Recording recording_;
  RecordedHost recorded_;
  Host host_;
  Sampler sampler_;
  History history_;
  rules::Engine engine_;
  std::vector<SnapshotPtr> snapshots_;
  rules::ReportPtr report_;
  daemon::CounterTable counters_;
};

void whole_tick(benchmark::State& state) {
  Tick tick(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const SnapshotPtr snapshot = tick.sample();
    tick.remember(*snapshot);
    const rules::ReportPtr report = tick.judge();
    bytes = tick.metrics(*report, tick.table(*report)).size();
  }
  state.counters["metrics_bytes"] = static_cast<double>(bytes);
}
BENCHMARK(whole_tick)->Arg(8)->Unit(benchmark::kMicrosecond);

void sample(benchmark::State& state) {
  Tick tick(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(tick.sample());
}
BENCHMARK(sample)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);

void remember(benchmark::State& state) {
  Tick tick(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) tick.remember(tick.newest());
}
BENCHMARK(remember)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);

void judge(benchmark::State& state) {
  Tick tick(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(tick.judge());
}
BENCHMARK(judge)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);

void counters(benchmark::State& state) {
  Tick tick(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(tick.table(tick.report()));
}
BENCHMARK(counters)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);

void metrics(benchmark::State& state) {
  Tick tick(static_cast<std::size_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) bytes = tick.metrics(tick.report(), tick.counters()).size();
  state.counters["metrics_bytes"] = static_cast<double>(bytes);
}
BENCHMARK(metrics)->Arg(8)->Arg(16)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace roceready

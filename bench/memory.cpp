// SPDX-License-Identifier: Apache-2.0
// Resident memory of a daemon's state after a day: history, newest report, rendered metrics. Prints; asserts nothing.
//   memory_bench [PORTS [HOURS [everything]]]   everything: all counters grow, those of faults too
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include <malloc.h>

#include "collectors/sampler.h"
#include "daemon/export/json.h"
#include "daemon/published.h"
#include "rules/engine.h"
#include "tests/doubles/mlx5_host.h"

namespace {

using namespace roceready;

/// A line of /proc/self/status, MiB: "VmRSS:", of which "RssAnon:" is the heap and "RssFile:" program and libraries.
double status_mib(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return std::strtod(line.c_str() + name.size(), nullptr) / 1024;
  return 0;
}
double resident_mib() {
  return status_mib("VmRSS:");
}

/// `first` `seconds` later. `second` is what it was after one second: counters go on as they did in it, or, where
/// `everything` grows, all of them by a thousand a second.
std::shared_ptr<Snapshot> later(const Snapshot& first, const Snapshot& second, std::int64_t seconds, bool everything) {
  auto out = std::make_shared<Snapshot>(first);
  const std::int64_t shift = seconds * 1'000'000'000;
  for (Instant* at : {&out->before, &out->after}) *at = {at->monotonic_ns + shift, at->wall_ns + shift};
  const auto grow = [&](CounterReadings& counters, const CounterReadings& then) {
    counters.at_monotonic_ns += shift;
    for (std::size_t i = 0; i < counters.values.size(); ++i) {
      const std::uint64_t step = everything ? 1000 : then.values[i].raw - counters.values[i].raw;
      counters.values[i].raw += static_cast<std::uint64_t>(seconds) * step;
    }
  };
  for (std::size_t i = 0; i < out->ports.size(); ++i) grow(out->ports[i].counters, second.ports[i].counters);
  for (std::size_t i = 0; i < out->netdevs.size(); ++i) grow(out->netdevs[i].counters, second.netdevs[i].counters);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const auto ports = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 8UL;
  const auto hours = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 24UL;
  const double at_start = resident_mib();
  const bool everything = argc > 3 && std::string(argv[3]) == "everything";
  auto first = std::make_unique<Snapshot>(), second = std::make_unique<Snapshot>();
  {
    doubles::Mlx5Host host = doubles::healthy_mlx5_host(ports);
    host.samples = 2;
    for (doubles::Mlx5Member& member : host.members) member.channels = 64;
    RecordedHost recorded(host.build());
    Host seam = recorded.host();
    recorded.select(0);
    Sampler sampler({});
    *first = sampler.sample(seam);
    recorded.select(1);
    *second = sampler.sample(seam);
  }
  History history(rules::needed_signals());
  rules::JudgeOptions options;
  options.profile = "nvidia-lossless";
  options.one_shot = false;
  rules::Engine engine(options);
  for (std::int64_t passed = 0; passed < static_cast<std::int64_t>(hours) * 3600; ++passed) {
    history.add(later(*first, *second, passed, everything));
    if (passed % 60 == 0) (void)engine.judge(history);
  }
  const rules::ReportPtr report = engine.judge(history);
  const daemon::Published published(report, daemon::counter_table(*report, history), {}, {});
  const auto text = published.metrics(daemon::MetricsFormat::Text, false);
  const auto json = published.json();
  ::malloc_trim(0);
  std::printf(
      "%lu ports, %lu h: resident %.1f MiB (heap %.1f, program and libraries %.1f; %.1f before anything), history says "
      "%.1f MiB; /metrics %zu kB, report %zu kB\n",
      ports, hours, resident_mib(), status_mib("RssAnon:"), status_mib("RssFile:"), at_start,
      static_cast<double>(history.memory_bytes()) / (1024 * 1024), text->size() / 1000, json->size() / 1000);
  return 0;
}

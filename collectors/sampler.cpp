// SPDX-License-Identifier: Apache-2.0
#include "collectors/sampler.h"

#include <utility>

namespace roceready {

Sampler::Sampler(SamplerOptions options) : options_(std::move(options)), context_(options_.retry_period_ns) {
  context_.statistics_share = options_.statistics_share;
}

void Sampler::configure(SamplerOptions options) {
  std::set<std::string> used = std::move(context_.used_ports);
  if (previous_) {
    for (const RdmaPort& port : previous_->ports) {
      if (options.selection.excludes_port(port.device, port.port)) used.erase(port.key);
    }
  }
  *this = Sampler(std::move(options));
  context_.used_ports = std::move(used);
}

void Sampler::recall_used_ports(const std::set<std::string>& keys) {
  context_.used_ports.insert(keys.begin(), keys.end());
}

bool Sampler::due(const Collector& collector) const {
  const auto last = last_run_ns_.find(collector.name);
  if (last == last_run_ns_.end() || context_.topology_changed) return true;
  const std::int64_t elapsed = context_.now.monotonic_ns - last->second;
  switch (collector.cadence) {
    case Cadence::EverySample:
      return true;
    case Cadence::Configuration:
      return context_.configuration_due;
    case Cadence::LinkChange:
      return context_.configuration_due || !context_.moved_ports.empty();
    case Cadence::Machine:
      return elapsed >= options_.machine_period_ns;
  }
  return true;
}

void Sampler::run(const Collector& collector, Host& host, Snapshot& out) {
  CollectorRun run;
  run.collector = collector.name;
  run.ran = due(collector);
  if (run.ran) {
    const Instant begin = host.clock.now();
    const Result<void> done = collector.collect(host, options_.selection, context_, out);
    run.duration_ns = host.clock.now().monotonic_ns - begin.monotonic_ns;
    last_run_ns_[collector.name] = context_.now.monotonic_ns;
    run.success = done ? Reading<bool>(true) : Reading<bool>(done.error());
  } else if (previous_) {
    for (const CollectorRun& earlier : previous_->collectors) {
      if (earlier.collector == run.collector) run.success = earlier.success;
    }
  }
  out.collectors.push_back(std::move(run));
}

Snapshot Sampler::sample(Host& host) {
  Snapshot out = previous_ ? *previous_ : Snapshot{};
  out.collectors.clear();
  context_.now = host.clock.now();
  context_.topology_changed = false;
  const auto last = last_run_ns_.find("configuration");
  context_.configuration_due =
      last == last_run_ns_.end() || context_.now.monotonic_ns - last->second >= options_.configuration_period_ns;
  if (context_.configuration_due) last_run_ns_["configuration"] = context_.now.monotonic_ns;
  out.before = context_.now;
  out.after = context_.now;
  bool counting = false;
  for (const Collector* collector : collectors()) {
    if (collector->counters != counting) (counting ? out.after : out.before) = host.clock.now();
    counting = collector->counters;
    run(*collector, host, out);
  }
  if (counting) out.after = host.clock.now();
  const bool fresh = last_burst_step_ns_ != 0 && out.after.monotonic_ns - last_burst_step_ns_ <= kBurstFreshNs;
  out.bursts = fresh ? burst_.facts() : std::vector<BurstFact>{};
  previous_ = out;
  return out;
}

void Sampler::begin_burst() {
  burst_ = BurstWatch{};
}

void Sampler::burst_step(Host& host) {
  if (!previous_) return;
  Snapshot polled;
  polled.ports = previous_->ports;
  context_.now = host.clock.now();
  context_.configuration_due = false;
  for (const Collector* collector : collectors()) {
    if (collector->in_bursts) (void)collector->collect(host, options_.selection, context_, polled);
  }
  burst_.add(polled.ports);
  last_burst_step_ns_ = context_.now.monotonic_ns;
}

}  // namespace roceready

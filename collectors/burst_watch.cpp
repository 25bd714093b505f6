// SPDX-License-Identifier: Apache-2.0
#include "collectors/burst_watch.h"

#include <algorithm>

#include "collectors/rdma_devices.h"
#include "core/counters/delta.h"

namespace roceready {

void BurstWatch::step(Watched& watched, const RdmaPort& port, double seconds) {
  ++watched.steps;
  watched.seconds += seconds;
  std::size_t i = 0;
  const std::vector<CounterValue>& before = watched.last;
  for (const CounterValue& value : port.counters.values) {
    const std::pair<CounterId, std::uint8_t> signal{value.id, value.lane};
    while (i < before.size() && std::pair(before[i].id, before[i].lane) < signal) ++i;
    if (i >= before.size() || std::pair(before[i].id, before[i].lane) != signal) continue;
    if (info_of(value.id).kind != CounterKind::Counter || before[i].source != value.source) continue;
    const double growth = static_cast<double>(delta_of(before[i].raw, value.raw, value.width).increase) * value.scale;
    if (!(growth > 0)) continue;
    BurstFact& fact = watched.grown[signal];
    fact.device = port.device;
    fact.port = port.port;
    fact.counter = info_of(value.id).name;
    ++fact.busy_steps;
    fact.amount += growth;
    fact.peak = std::max(fact.peak, growth);
  }
}

void BurstWatch::add(const std::vector<RdmaPort>& ports) {
  for (const RdmaPort& port : ports) {
    if (!port.in_scope) continue;
    const std::int64_t at = port.counters.at_monotonic_ns;
    Watched& watched = ports_[port_name(port)];
    if (at == 0 || at <= watched.last_ns) continue;
    if (watched.last_ns != 0) step(watched, port, static_cast<double>(at - watched.last_ns) * 1e-9);
    watched.last = port.counters.values;
    watched.last_ns = at;
  }
}

std::vector<BurstFact> BurstWatch::facts() const {
  std::vector<BurstFact> out;
  for (const auto& [name, watched] : ports_) {
    for (const auto& [signal, grown] : watched.grown) {
      BurstFact fact = grown;
      fact.steps = watched.steps;
      fact.seconds = watched.seconds;
      fact.step_seconds = watched.seconds / std::max(1U, watched.steps);
      out.push_back(std::move(fact));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const BurstFact& a, const BurstFact& b) { return a.peak > b.peak; });
  if (out.size() > kMaxFacts) out.resize(kMaxFacts);
  return out;
}

}  // namespace roceready

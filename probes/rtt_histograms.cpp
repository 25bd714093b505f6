// SPDX-License-Identifier: Apache-2.0
#include "probes/rtt_histograms.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace roceready::probes {

void RttHistograms::add(const verbs::PortName& port, ProbeKind kind, double seconds) {
  ProbeHistogram& to = known_[{port.device, port.port, name_of(kind)}];
  if (to.counts.empty()) {
    to.device = port.device;
    to.port = port.port;
    to.kind = name_of(kind);
    to.counts.assign(kProbeBounds.size() + 1, 0);
  }
  // A bucket's upper bound belongs to it, as Prometheus has it.
  const auto bound = std::lower_bound(kProbeBounds.begin(), kProbeBounds.end(), seconds);
  ++to.counts[static_cast<std::size_t>(std::distance(kProbeBounds.begin(), bound))];
  to.sum_seconds += seconds;
}

std::vector<ProbeHistogram> RttHistograms::all() const {
  std::vector<ProbeHistogram> out;
  out.reserve(known_.size());
  for (const auto& [key, histogram] : known_) out.push_back(histogram);
  return out;
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/snapshot/probe.h"
#include "probes/exchange.h"
#include "probes/verbs/types.h"

namespace roceready::probes {

/// Round trips of all peers, one histogram a port of ours and kind of probe, from the start on. Threads: one.
class RttHistograms {
 public:
  void add(const verbs::PortName& port, ProbeKind kind, double seconds);
  /// Sorted by device, port, kind's name.
  [[nodiscard]] std::vector<ProbeHistogram> all() const;

 private:
  std::map<std::tuple<std::string, std::uint32_t, std::string>, ProbeHistogram> known_;
};

}  // namespace roceready::probes

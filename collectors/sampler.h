// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "collectors/burst_watch.h"
#include "collectors/collector.h"
#include "collectors/selection.h"
#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

struct SamplerOptions {
  Selection selection;
  std::int64_t configuration_period_ns = 10'000'000'000;  ///< DCB, GIDs, ethtool settings, vendor files
  std::int64_t machine_period_ns = 30'000'000'000;        ///< PCI, host
  std::int64_t retry_period_ns = 10'000'000'000;          ///< a refused question is asked again
  double statistics_share = 0.02;  ///< of its period that one statistics read may take; it holds the RTNL lock
};

/// Takes samples of a host, one after the other.
/// Shape: runs the catalogue in order over one snapshot that starts as a copy of the sample before; what is not due
/// stays.
///   Every collector runs in the first sample and when ports or their netdevs have changed.
/// Threads: one caller. Cost: RTNL is held by each ethtool question; counters are numbers only while names do not
/// change.
class Sampler {
 public:
  explicit Sampler(SamplerOptions options);
  /// Begins anew with other options, but for the ports that are known to be used, less those that are excluded now.
  void configure(SamplerOptions options);
  /// RdmaPort::key of the ports that had a routable address since the node booted, as far as it is known: they are in
  /// scope without one, too.
  [[nodiscard]] const std::set<std::string>& used_ports() const { return context_.used_ports; }
  /// Takes what a sampler of an earlier process knew in the same boot.
  void recall_used_ports(const std::set<std::string>& keys);
  /// Never fails as a whole: what could not be read is absent with its reason, collectors' failures are in
  /// `collectors`.
  [[nodiscard]] Snapshot sample(Host& host);
  /// Begins a burst: what the one before saw is forgotten.
  void begin_burst();
  /// Between two samples, reads the RDMA counters of the ports in scope and nothing else: no RTNL lock is taken. What a
  /// burst saw is in the samples until kBurstFreshNs after its last step. Nothing before the first sample.
  void burst_step(Host& host);
  static constexpr std::int64_t kBurstFreshNs = 60'000'000'000;

 private:
  [[nodiscard]] bool due(const Collector& collector) const;
  void run(const Collector& collector, Host& host, Snapshot& out);

  SamplerOptions options_;
  Context context_;
  std::optional<Snapshot> previous_;
  BurstWatch burst_;
  std::int64_t last_burst_step_ns_ = 0;
  std::map<std::string, std::int64_t> last_run_ns_;  ///< by collector
};

}  // namespace roceready

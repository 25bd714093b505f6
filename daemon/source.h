// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "collectors/sampler.h"
#include "core/base/result.h"
#include "core/host/recording.h"
#include "core/snapshot/snapshot.h"

namespace roceready::daemon {

/// Where snapshots come from. Threads: one caller.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// The next snapshot; null when a recording has ended.
  [[nodiscard]] virtual SnapshotPtr next() = 0;
  /// A recording is over: all its snapshots can be had at once.
  [[nodiscard]] virtual bool ends() const { return false; }
  /// Whether RDMA counters can be polled between two snapshots; a recording has none there.
  [[nodiscard]] virtual bool can_burst() const { return false; }
  virtual void begin_burst() {}
  virtual void burst_step() {}
  /// New options from the next snapshot on. A recording keeps those that it was opened with.
  virtual void configure(const SamplerOptions& options) { static_cast<void>(options); }
  /// As those of Sampler. A recording starts with what it holds.
  [[nodiscard]] virtual std::set<std::string> used_ports() const { return {}; }
  virtual void recall_used_ports(const std::set<std::string>& keys) { static_cast<void>(keys); }
  [[nodiscard]] virtual std::string kind() const = 0;  ///< "live", "recorded"
  [[nodiscard]] virtual std::string detail() const { return {}; }
};

/// This machine. `probes` is what its probe engine publishes and outlives the source; null: it does not probe.
[[nodiscard]] std::unique_ptr<SampleSource> live_source(SamplerOptions options, ProbeResults* probes = nullptr);
/// A host that the caller owns, e.g. one that is being recorded; as `live`.
[[nodiscard]] std::unique_ptr<SampleSource> host_source(Host host, SamplerOptions options);
/// A recorded host of either layout. Damaged: an error that names the file.
[[nodiscard]] Result<std::unique_ptr<SampleSource>> recorded_source(const std::string& directory,
                                                                    const RecordedHostInfo& info,
                                                                    SamplerOptions options);

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "daemon/source.h"

#include <set>
#include <utility>
#include <vector>

#include "collectors/live/live_host.h"
#include "core/snapshot/snapshot_json.h"

namespace roceready::daemon {
namespace {

class HostSource : public SampleSource {
 public:
  HostSource(Host host, SamplerOptions options) : host_(host), sampler_(std::move(options)) {}
  SnapshotPtr next() override { return std::make_shared<const Snapshot>(sampler_.sample(host_)); }
  void configure(const SamplerOptions& options) override { sampler_.configure(options); }
  [[nodiscard]] std::set<std::string> used_ports() const override { return sampler_.used_ports(); }
  void recall_used_ports(const std::set<std::string>& keys) override { sampler_.recall_used_ports(keys); }
  [[nodiscard]] bool can_burst() const override { return true; }
  void begin_burst() override { sampler_.begin_burst(); }
  void burst_step() override { sampler_.burst_step(host_); }
  [[nodiscard]] std::string kind() const override { return "live"; }

 private:
  Host host_;
  Sampler sampler_;
};

class LiveSource : public SampleSource {
 public:
  LiveSource(SamplerOptions options, ProbeResults* probes)
      : live_({.root = "", .probes = probes}), source_(live_.host(), std::move(options)) {}
  SnapshotPtr next() override { return source_.next(); }
  void configure(const SamplerOptions& options) override { source_.configure(options); }
  [[nodiscard]] std::set<std::string> used_ports() const override { return source_.used_ports(); }
  void recall_used_ports(const std::set<std::string>& keys) override { source_.recall_used_ports(keys); }
  [[nodiscard]] bool can_burst() const override { return true; }
  void begin_burst() override { source_.begin_burst(); }
  void burst_step() override { source_.burst_step(); }
  [[nodiscard]] std::string kind() const override { return "live"; }

 private:
  LiveHost live_;
  HostSource source_;
};

class RawSource : public SampleSource {
 public:
  RawSource(std::string directory, Recording recording, SamplerOptions options)
      : directory_(std::move(directory)),
        recording_(std::move(recording)),
        host_(recording_),
        sampler_(std::move(options)) {}
  SnapshotPtr next() override {
    if (position_ >= recording_.samples.size()) return nullptr;
    host_.select(position_++);
    Host host = host_.host();
    return std::make_shared<const Snapshot>(sampler_.sample(host));
  }
  [[nodiscard]] bool ends() const override { return true; }
  [[nodiscard]] std::string kind() const override { return "recorded"; }
  [[nodiscard]] std::string detail() const override { return directory_; }

 private:
  std::string directory_;
  Recording recording_;
  RecordedHost host_;
  Sampler sampler_;
  std::size_t position_ = 0;
};

class SnapshotSource : public SampleSource {
 public:
  SnapshotSource(std::string directory, std::vector<Snapshot> snapshots) : directory_(std::move(directory)) {
    for (Snapshot& snapshot : snapshots) snapshots_.push_back(std::make_shared<const Snapshot>(std::move(snapshot)));
  }
  SnapshotPtr next() override { return position_ < snapshots_.size() ? snapshots_[position_++] : nullptr; }
  [[nodiscard]] bool ends() const override { return true; }
  [[nodiscard]] std::string kind() const override { return "recorded"; }
  [[nodiscard]] std::string detail() const override { return directory_; }

 private:
  std::string directory_;
  std::vector<SnapshotPtr> snapshots_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> live_source(SamplerOptions options, ProbeResults* probes) {
  return std::make_unique<LiveSource>(std::move(options), probes);
}

std::unique_ptr<SampleSource> host_source(Host host, SamplerOptions options) {
  return std::make_unique<HostSource>(host, std::move(options));
}

Result<std::unique_ptr<SampleSource>> recorded_source(const std::string& directory, const RecordedHostInfo& info,
                                                      SamplerOptions options) {
  if (info.layout == "snapshot") {
    auto snapshots = read_snapshots(directory);
    if (!snapshots) return snapshots.error();
    if (snapshots->empty()) return Error{ErrorCode::Malformed, "holds no snapshot", directory, 0};
    return std::unique_ptr<SampleSource>(std::make_unique<SnapshotSource>(directory, std::move(*snapshots)));
  }
  auto recording = read_recording(directory);
  if (!recording) return recording.error();
  if (recording->samples.empty()) return Error{ErrorCode::Malformed, "holds no sample", directory, 0};
  return std::unique_ptr<SampleSource>(
      std::make_unique<RawSource>(directory, std::move(*recording), std::move(options)));
}

}  // namespace roceready::daemon

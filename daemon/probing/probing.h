// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "collectors/live/published_probes.h"
#include "config/settings.h"
#include "core/snapshot/probe.h"
#include "daemon/export/probe_metrics.h"
#include "daemon/http/message.h"
#include "daemon/probing/answering.h"
#include "daemon/probing/http_channel.h"
#include "daemon/probing/known_baselines.h"
#include "daemon/probing/own_digest.h"
#include "daemon/probing/probe_terms.h"
#include "probes/cm/manager.h"
#include "probes/verbs/verbs.h"
#include "probes/window_statistics.h"
#include "rules/report.h"

namespace roceready::daemon {

/// Everything of the daemon that sends or answers RDMA probes, as the configuration wants it: the answering of others,
/// the mesh, the looking for peers. What the mesh knows is published for the sampler once a second, with hundreds of
/// peers more rarely (publishing_period_ns). Threads: any. learn() and session() never wait for peers, names or devices
/// that apply() and stop() may wait for. A fault of probing is a reason in the report and in the log, and touches
/// nothing else.
class Probing {
 public:
  /// To be made before there are threads. `published` outlives it.
  explicit Probing(PublishedProbes& published);
  ~Probing();
  Probing(const Probing&) = delete;
  Probing& operator=(const Probing&) = delete;

  /// Begins, changes or ends probing. What did not change goes on undisturbed. May take seconds: what ended is waited
  /// for.
  void apply(const config::Settings& settings);
  /// Takes from the newest report, which has a snapshot, what peers are told of this node, which ports may be used and
  /// in which class.
  void learn(const rules::Report& report);
  /// For http::Site::probe_session.
  [[nodiscard]] http::SessionAnswer session(const std::string& body, const std::string& remote);
  /// For http::Site::probe_results.
  [[nodiscard]] std::optional<std::string> results() const;
  /// What was not taken, five seconds old at most. Never waits.
  [[nodiscard]] ProbeRefusals refusals() const;
  /// Of round trips, as an earlier process kept them. Before the first apply().
  void recall_baselines(const std::string& kept);
  /// What is to be kept of them for the next process: anew every five minutes; null before that.
  [[nodiscard]] std::shared_ptr<const std::string> baselines() const;
  /// The same as of now, for the end. May wait for the engine, a fifth of a second at most.
  [[nodiscard]] std::shared_ptr<const std::string> last_baselines();
  /// Ends everything; false when it did not end within `most_ms`, and then only the end of the process does.
  [[nodiscard]] bool stop(int most_ms);

 private:
  struct Running;
  /// What decides whether a new configuration changes anything.
  struct Wanted {
    config::ProbeSettings settings;
    std::vector<std::byte> secret;
    probes::TravelClass in_class;
    probes::SlowLimits slow;
    std::string problem;  ///< why the terms cannot be used
    bool operator==(const Wanted&) const = default;
  };
  [[nodiscard]] std::shared_ptr<Running> mesh() const;  ///< null: nothing is probed
  [[nodiscard]] ProbeTime now() const;
  void publish_blocked(const NodeDigest& node, const std::string& why);

  PublishedProbes& published_;
  std::unique_ptr<probes::verbs::Verbs> verbs_;
  std::unique_ptr<probes::cm::Manager> manager_;
  HttpChannel channel_;
  KnownBaselines baselines_;
  std::shared_ptr<PortsInScope> scope_ = std::make_shared<PortsInScope>();
  std::mutex applying_;  // one apply() or stop() at a time
  std::optional<Wanted> wanted_;
  mutable std::mutex lock_;  // of the rest; held for moments
  config::Settings settings_;
  OwnDigest own_;
  NodeDigest digest_;
  std::string blocked_;  // why nothing is probed although peers are configured
  std::shared_ptr<Answering> answering_;
  std::shared_ptr<Running> running_;
};

}  // namespace roceready::daemon

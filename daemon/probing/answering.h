// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "daemon/http/message.h"
#include "daemon/probing/probe_terms.h"
#include "probes/responder.h"

namespace roceready::daemon {

/// Answers the probes of others, on a thread of its own, and logs who asked without a secret, who was refused, and once
/// a minute what was not answered and why.
/// Threads: session() from any; the rest from one. The verbs outlive it.
class Answering {
 public:
  /// `budget`: what answering shares with a mesh; null: only the responder's own limits hold. `manager`: with which
  /// meshes may connect, and which outlives it; null: they may not.
  Answering(probes::verbs::Verbs& verbs, const ProbeTerms& terms, std::uint32_t expected_peers,
            std::shared_ptr<probes::Budget> budget = nullptr, probes::cm::Manager* manager = nullptr);
  ~Answering();
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  /// What http::Site::probe_session wants.
  [[nodiscard]] http::SessionAnswer session(const std::string& body, const std::string& remote);
  void set_digest(const NodeDigest& digest) { responder_.set_digest(digest); }
  void set_service_level(std::uint8_t level) { responder_.set_service_level(level); }
  [[nodiscard]] std::vector<ProbeArrivals> arrivals() const { return responder_.arrivals(); }
  [[nodiscard]] probes::Responder::Status status() const { return responder_.status(); }
  /// Messages that were not answered since the start, by reason; five seconds old at most. Never waits.
  [[nodiscard]] std::map<std::string, std::uint64_t> refused() const;
  /// The same of connections.
  [[nodiscard]] std::uint64_t refused_connections() const;

 private:
  /// Not told of yet. Each is told once, until 256 others came.
  [[nodiscard]] bool is_news(const std::string& remote);
  void watch(const std::stop_token& stop);
  std::mutex strangers_lock_;
  std::set<std::string> strangers_;
  probes::Responder responder_;
  mutable std::mutex refused_lock_;
  std::map<std::string, std::uint64_t> refused_;
  std::uint64_t refused_connections_ = 0;
  std::mutex sleep_lock_;
  std::condition_variable_any sleep_;
  std::jthread thread_, watcher_;
};

}  // namespace roceready::daemon

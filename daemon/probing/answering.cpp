// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/answering.h"

#include <chrono>
#include <utility>
#include <variant>

#include "core/base/text.h"
#include "daemon/log.h"
#include "daemon/probing/grown_counts.h"
#include "probes/reasons.h"

namespace roceready::daemon {
namespace {

probes::ResponderOptions options_of(const ProbeTerms& terms, std::uint32_t expected_peers,
                                    std::shared_ptr<probes::Budget> budget, probes::cm::Manager* manager) {
  probes::ResponderOptions out;
  out.secret = terms.secret;
  out.labels = terms.labels;
  out.service_level = terms.in_class.service_level;
  out.expected_peers = expected_peers;
  out.may_use = terms.may_use;
  out.budget = std::move(budget);
  out.manager = manager;
  return out;
}

}  // namespace

Answering::Answering(probes::verbs::Verbs& verbs, const ProbeTerms& terms, std::uint32_t expected_peers,
                     std::shared_ptr<probes::Budget> budget, probes::cm::Manager* manager)
    : responder_(verbs, options_of(terms, expected_peers, std::move(budget), manager)),
      refused_(probes::by_reason<probes::Refusal>({})),
      thread_([this](const std::stop_token& stop) { responder_.run(stop); }),
      watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

Answering::~Answering() = default;

http::SessionAnswer Answering::session(const std::string& body, const std::string& remote) {
  auto said = responder_.answer(body, remote);
  if (auto* reply = std::get_if<probes::SessionReply>(&said)) {
    if (reply->fills_line)
      log(Level::Info, "a peer measures bandwidth to this node, which fills the line for some seconds",
          {{"peer", remote}});
    else if (reply->authenticated)
      log(Level::Debug, "a peer probes this node", {{"peer", remote}, {"authentication", "shared secret"}});
    else if (is_news(remote))
      log(Level::Info, "somebody probes this node", {{"peer", remote}, {"authentication", "unauthenticated"}});
    return {200, std::move(reply->body)};
  }
  auto& refusal = std::get<probes::SessionRefusal>(said);
  const Level level = is_news(remote + " " + std::to_string(refusal.http_status)) ? Level::Info : Level::Debug;
  log(level, "a peer was refused a probe session", {{"peer", remote}, {"why", clean_text(refusal.why)}});
  return {refusal.http_status, std::move(refusal.why)};
}

void Answering::watch(const std::stop_token& stop) {
  constexpr std::chrono::seconds kPeriod{5};
  constexpr int kRoundsOfLog = 12;  // a minute
  GrownCounts counts;
  std::string problem;  // of connections
  std::unique_lock held(sleep_lock_);
  for (int round = 1; !sleep_.wait_for(held, stop, kPeriod, [&] { return stop.stop_requested(); }); ++round) {
    const probes::Responder::Status status = responder_.status();
    {
      const std::lock_guard lock(refused_lock_);
      refused_ = probes::by_reason<probes::Refusal>(status.messages.refused);
      refused_connections_ = status.connections.refused;
    }
    if (std::exchange(problem, status.connections.problem) != status.connections.problem)
      log(Level::Info,
          problem.empty() ? "peers can connect to this node with the RDMA connection manager again"
                          : "peers cannot connect to this node with the RDMA connection manager",
          {{"why", clean_text(problem)}});
    if (round % kRoundsOfLog != 0) continue;
    if (const auto grown = counts.update(counts_of(status)))
      log(Level::Info, "not answered of what was sent to the responder in this minute", {{"what", *grown}});
  }
}

std::map<std::string, std::uint64_t> Answering::refused() const {
  const std::lock_guard lock(refused_lock_);
  return refused_;
}

std::uint64_t Answering::refused_connections() const {
  const std::lock_guard lock(refused_lock_);
  return refused_connections_;
}

bool Answering::is_news(const std::string& remote) {
  constexpr std::size_t kMost = 256;
  const std::lock_guard lock(strangers_lock_);
  if (strangers_.size() >= kMost) strangers_.clear();
  return strangers_.insert(remote).second;
}

}  // namespace roceready::daemon

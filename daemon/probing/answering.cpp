// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/answering.h"

#include <utility>
#include <variant>

#include "core/base/text.h"
#include "daemon/log.h"

namespace roceready::daemon {
namespace {

probes::ResponderOptions options_of(const ProbeTerms& terms, std::uint32_t expected_peers,
                                    std::shared_ptr<probes::Budget> budget) {
  probes::ResponderOptions out;
  out.secret = terms.secret;
  out.labels = terms.labels;
  out.service_level = terms.in_class.service_level;
  out.expected_peers = expected_peers;
  out.may_use = terms.may_use;
  out.budget = std::move(budget);
  return out;
}

}  // namespace

Answering::Answering(probes::verbs::Verbs& verbs, const ProbeTerms& terms, std::uint32_t expected_peers,
                     std::shared_ptr<probes::Budget> budget)
    : responder_(verbs, options_of(terms, expected_peers, std::move(budget))),
      thread_([this](const std::stop_token& stop) { responder_.run(stop); }) {}

Answering::~Answering() = default;

http::SessionAnswer Answering::session(const std::string& body, const std::string& remote) {
  auto said = responder_.answer(body, remote);
  if (auto* reply = std::get_if<probes::SessionReply>(&said)) {
    if (reply->authenticated)
      log(Level::Debug, "a peer probes this node", {{"peer", remote}, {"authentication", "shared secret"}});
    else if (is_news(remote))
      log(Level::Info, "somebody probes this node", {{"peer", remote}, {"authentication", "unauthenticated"}});
    return {200, std::move(reply->body)};
  }
  auto& refusal = std::get<probes::SessionRefusal>(said);
  log(Level::Debug, "a peer was refused a probe session", {{"peer", remote}, {"why", clean_text(refusal.why)}});
  return {refusal.http_status, std::move(refusal.why)};
}

bool Answering::is_news(const std::string& remote) {
  constexpr std::size_t kMost = 256;
  const std::lock_guard lock(strangers_lock_);
  if (strangers_.size() >= kMost) strangers_.clear();
  return strangers_.insert(remote).second;
}

}  // namespace roceready::daemon

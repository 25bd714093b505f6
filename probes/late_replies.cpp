// SPDX-License-Identifier: Apache-2.0
#include "probes/late_replies.h"

#include <algorithm>

namespace roceready::probes {
namespace {

constexpr std::size_t kMostOfSession = 128;
constexpr std::int64_t kPruneEveryNs = 1'000'000'000;

bool answers(const Message& reply, const LateReplies::Probe& probe) {
  return reply.type != MessageType::Probe && reply.sequence == probe.sequence && reply.path == probe.path &&
         reply.size <= probe.size;
}

}  // namespace

void LateReplies::await(std::uint64_t session, std::uint32_t target, const SessionKey& key, const Probe& probe) {
  Session& of = sessions_[session];
  of.target = target;
  of.key = key;
  of.probes.push_back(probe);
  if (of.probes.size() > kMostOfSession) of.probes.pop_front();
}

const LateReplies::Session* LateReplies::find(std::uint64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : &found->second;
}

bool LateReplies::awaits(std::uint64_t session, const Message& reply) const {
  const Session* const of = find(session);
  return of != nullptr &&
         std::any_of(of->probes.begin(), of->probes.end(), [&](const Probe& probe) { return answers(reply, probe); });
}

std::optional<LateReplies::Probe> LateReplies::take(std::uint64_t session, const Message& reply) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return std::nullopt;
  std::deque<Probe>& probes = found->second.probes;
  const auto place =
      std::find_if(probes.begin(), probes.end(), [&](const Probe& probe) { return answers(reply, probe); });
  if (place == probes.end()) return std::nullopt;
  const Probe out = *place;
  probes.erase(place);
  if (probes.empty()) sessions_.erase(found);
  return out;
}

void LateReplies::forget(std::uint32_t target) {
  std::erase_if(sessions_, [&](const auto& each) { return each.second.target == target; });
}

void LateReplies::prune(std::int64_t now_ns) {
  if (now_ns < prune_due_ns_) return;
  prune_due_ns_ = now_ns + kPruneEveryNs;
  for (auto& [id, session] : sessions_)
    while (!session.probes.empty() && now_ns - session.probes.front().given_up_ns > kAwaitedNs)
      session.probes.pop_front();
  std::erase_if(sessions_, [](const auto& each) { return each.second.probes.empty(); });
}

}  // namespace roceready::probes

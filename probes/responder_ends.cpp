// SPDX-License-Identifier: Apache-2.0
#include "probes/responder.h"

#include <string>
#include <utility>
#include <vector>

#include "probes/responder_session.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNeverHeardNs = 15 * kSecond;  // a session that carried nothing
constexpr std::int64_t kQuietOnDemandNs = 15 * kSecond, kQuietMeshNs = 120 * kSecond;
constexpr std::int64_t kUnusedPortNs = 30 * kSecond;

}  // namespace

void Responder::end_session(std::map<std::uint64_t, std::unique_ptr<Session>>::iterator session, Ended& ended) {
  if (session->second->kind == ProbeKind::Ud) session->second->serving->engine.close(session->first);
  session->second->serving->used_ns = verbs_.now_ns();
  on_demand_.erase(session->first);
  replacing_.erase(session->first);
  if (cm_) cm_->forget(session->first);
  ended.sessions.push_back(std::move(session->second));
  sessions_.erase(session);
}

void Responder::end_replaced(const SessionRequest& request, Ended& ended) {
  while (true) {
    auto oldest = sessions_.end();
    std::size_t alike = 0;
    for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
      if (!each->second->like(request)) continue;
      ++alike;
      if (oldest == sessions_.end() || each->second->created_ns < oldest->second->created_ns) oldest = each;
    }
    if (alike < kConnectedAlike) return;
    end_session(oldest, ended);
  }
}

/// A session that a peer's mesh replaced, once a message came in the new one.
void Responder::end_superseded(Ended& ended) {
  std::vector<std::uint64_t> over;
  std::erase_if(replacing_, [&](std::uint64_t id) {
    const Session& session = *sessions_.at(id);
    if (session.serving->engine.last_heard_ns(id) == 0) return false;
    over.push_back(session.replaces);
    return true;
  });
  for (const std::uint64_t id : over)
    if (const auto found = sessions_.find(id); found != sessions_.end()) end_session(found, ended);
}

void Responder::end_old_sessions(std::int64_t now_ns, Ended& ended) {
  for (auto each = sessions_.begin(); each != sessions_.end();) {
    const auto next = std::next(each);
    const Session& session = *each->second;
    bool over = now_ns >= session.ends_ns;
    if (session.kind == ProbeKind::Ud) {  // of a connection the NIC does not say whether it is used
      const std::int64_t heard = session.serving->engine.last_heard_ns(each->first);
      const std::int64_t quiet = session.on_demand ? kQuietOnDemandNs : kQuietMeshNs;
      over = over || (heard == 0 ? now_ns - session.created_ns > kNeverHeardNs : now_ns - heard > quiet);
    }
    if (over) end_session(each, ended);
    each = next;
  }
  for (auto each = servings_.begin(); each != servings_.end();) {
    const auto next = std::next(each);
    // The map has one reference, each session one, and a request in the making or a look at its MTU one.
    if (each->second.use_count() == 1 && now_ns - each->second->used_ns > kUnusedPortNs) {
      past_.messages += each->second->engine.counts();
      each->second->closing.request_stop();
      ended.servings.push_back(std::move(each->second));
      servings_.erase(each);
    }
    each = next;
  }
}

void Responder::drop_serving(const std::string& name, const std::string& why, Ended& ended) {
  const auto found = servings_.find(name);
  if (found == servings_.end()) return;
  const std::shared_ptr<Serving> serving = found->second;
  past_.messages += serving->engine.counts();
  past_.failed[name] = why;
  serving->closing.request_stop();
  servings_.erase(found);
  for (auto each = sessions_.begin(); each != sessions_.end();) {
    const auto next = std::next(each);
    if (each->second->serving == serving) end_session(each, ended);
    each = next;
  }
  ended.servings.push_back(serving);
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_responder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "probes/cm_message.h"
#include "probes/thread_delay.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kUnusedNs = 30 * kSecond;  // of a listener
constexpr std::int64_t kReopenNs = kSecond;
constexpr std::size_t kMostListeners = 64, kMostSessions = 65'536;
constexpr std::size_t kManagementBytes = 256;
constexpr std::chrono::seconds kPatience{1};
constexpr int kIdleMs = 1000;
constexpr int kBetweenStepsMs = 10;  // so that a flood of calls costs no core

}  // namespace

std::optional<std::uint16_t> CmResponder::offer(const verbs::Gid& own, std::uint64_t session, const SessionKey& key,
                                                std::int64_t ends_ns) {
  const std::unique_lock held(listening_lock_, kPatience);
  if (!held) return std::nullopt;
  auto found = listening_.find(own);
  if (found == listening_.end()) {
    if (listening_.size() >= kMostListeners) return std::nullopt;
    auto opened = manager_.listen(own, 0);
    {
      const std::lock_guard guard(sessions_lock_);
      status_.problem = opened ? "" : opened.error().text();
    }
    if (!opened) return std::nullopt;
    const std::uint16_t service = (*opened)->service();
    found = listening_.emplace(own, Listening{std::move(*opened), service, 0, 0}).first;
  }
  found->second.unused_since_ns = clock_.now_ns();
  const std::lock_guard guard(sessions_lock_);
  if (sessions_.size() >= kMostSessions) return std::nullopt;
  sessions_[session] = {key, own, 0, ends_ns};
  wake_up_.wake();
  return found->second.service;
}

void CmResponder::forget(std::uint64_t session) {
  const std::lock_guard guard(sessions_lock_);
  sessions_.erase(session);
}

std::optional<std::vector<std::byte>> CmResponder::answer(const verbs::Gid& own, ByteSpan told) {
  const std::lock_guard guard(sessions_lock_);
  const std::int64_t now_ns = clock_.now_ns();
  const auto claimed = claimed_cm_session(told);
  const auto session = claimed ? sessions_.find(*claimed) : sessions_.end();
  ++status_.refused;
  if (session == sessions_.end() || session->second.own != own || now_ns >= session->second.ends_ns)
    return std::nullopt;
  Session& known = session->second;
  const auto request = decode_cm(told, known.key);
  if (!request || request->type != CmMessageType::Request || request->attempt <= known.last_attempt)
    return std::nullopt;
  known.last_attempt = request->attempt;
  --status_.refused;
  ++status_.accepted;
  if (budget_ != nullptr) budget_->answer(2, 2 * kManagementBytes, now_ns);
  const auto out = encode(CmMessage{CmMessageType::Acceptance, request->session, request->attempt}, known.key);
  return std::vector<std::byte>(out.begin(), out.end());
}

/// Ends sessions that are over.
bool CmResponder::in_use(const verbs::Gid& own, std::int64_t now_ns) {
  const std::lock_guard guard(sessions_lock_);
  std::erase_if(sessions_, [&](const auto& each) { return now_ns >= each.second.ends_ns; });
  return std::ranges::any_of(sessions_, [&](const auto& each) { return each.second.own == own; });
}

void CmResponder::reopen(const verbs::Gid& own, Listening& entry, std::int64_t now_ns) {
  if (now_ns < entry.retry_ns) return;
  entry.retry_ns = now_ns + kReopenNs;
  auto opened = manager_.listen(own, entry.service);
  const std::lock_guard guard(sessions_lock_);
  status_.problem = opened ? "" : opened.error().text();
  if (opened && (*opened)->service() == entry.service) entry.listener = std::move(*opened);
}

void CmResponder::step() {
  const std::lock_guard held(listening_lock_);
  const std::int64_t now_ns = clock_.now_ns();
  for (auto each = listening_.begin(); each != listening_.end();) {
    auto& [own, entry] = *each;
    if (entry.listener == nullptr) reopen(own, entry, now_ns);
    if (entry.listener != nullptr) {
      const auto stepped = entry.listener->step([&](ByteSpan told) { return answer(own, told); });
      if (!stepped) {
        entry.listener.reset();
        entry.retry_ns = now_ns + kReopenNs;
        const std::lock_guard guard(sessions_lock_);
        status_.problem = stepped.error().text();
      }
    }
    if (in_use(own, now_ns)) entry.unused_since_ns = now_ns;
    each = now_ns - entry.unused_since_ns > kUnusedNs ? listening_.erase(each) : std::next(each);
  }
  const std::lock_guard guard(sessions_lock_);
  status_.listeners = static_cast<std::size_t>(
      std::ranges::count_if(listening_, [](const auto& each) { return each.second.listener != nullptr; }));
}

void CmResponder::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake_up_.wake(); });
  WakeSet wake, pause;
  pause.add(wake_up_.fd());
  std::int64_t cpu_ns = thread_cpu_ns();
  while (!stop.stop_requested()) {
    step();
    wake.clear();
    wake.add(wake_up_.fd());
    {
      const std::lock_guard held(listening_lock_);
      for (const auto& [own, entry] : listening_)
        if (entry.listener != nullptr) wake.add(entry.listener->fd());
    }
    static_cast<void>(wake.wait(kIdleMs));
    wake_up_.clear();
    static_cast<void>(pause.wait(kBetweenStepsMs));
    const std::int64_t used_ns = thread_cpu_ns() - cpu_ns;
    cpu_ns += used_ns;
    if (budget_ != nullptr) budget_->used_cpu(used_ns, clock_.now_ns());
  }
}

CmResponder::Status CmResponder::status() const {
  const std::lock_guard guard(sessions_lock_);
  Status out = status_;
  out.sessions = sessions_.size();
  return out;
}

}  // namespace roceready::probes

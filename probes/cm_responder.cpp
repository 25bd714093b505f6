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
constexpr std::int64_t kReopenNs = kSecond, kPauseNs = kSecond;
constexpr std::size_t kMostListeners = 64, kMostSessions = 65'536;
constexpr std::size_t kManagementBytes = 256;
constexpr std::chrono::seconds kPatience{1};
constexpr int kIdleMs = 1000, kHoldingMs = 100;
constexpr int kBetweenStepsMs = 10;  // so that a flood of calls costs no core

/// What an acceptance needs of our port. Goes in reverse.
struct Owned {
  std::shared_ptr<verbs::Port> port;
  std::unique_ptr<verbs::Rc> queue_pair;
};

}  // namespace

CmResponder::~CmResponder() {
  end();
}

void CmResponder::note_problem(const std::string& problem) {
  const std::lock_guard guard(sessions_lock_);
  status_.problem = problem;
}

/// With listening_lock_ held.
void CmResponder::count() {
  const std::lock_guard guard(sessions_lock_);
  status_.threads = wake_up_ != nullptr ? 1 : 0;
  status_.listeners = static_cast<std::size_t>(
      std::ranges::count_if(listening_, [](const auto& each) { return each.second.listener != nullptr; }));
}

/// On the number that peers know; where somebody else took it, on another.
bool CmResponder::open(Listening& entry, std::int64_t now_ns) {
  entry.retry_ns = now_ns + kReopenNs;
  auto opened = manager_.listen(entry.place.own, entry.service, entry.place.at);
  if (!opened && entry.service != 0) opened = manager_.listen(entry.place.own, 0, entry.place.at);
  note_problem(opened ? "" : opened.error().text());
  if (!opened) return false;
  entry.listener = std::move(*opened);
  entry.service = entry.listener->service();
  return true;
}

std::optional<std::uint16_t> CmResponder::offer(const CmPlace& place, std::uint64_t session, const SessionKey& key,
                                                std::int64_t ends_ns) {
  const std::unique_lock held(listening_lock_, kPatience);
  if (!held || place.closing.stop_requested()) return std::nullopt;
  auto found = listening_.find(place.own);
  if (found == listening_.end()) {
    if (listening_.size() >= kMostListeners) return std::nullopt;
    found = listening_.emplace(place.own, Listening{place, nullptr, 0, 0, 0, 0}).first;
  }
  Listening& entry = found->second;
  if (entry.place.closing.stop_requested()) {  // the port is back, as another
    entry.listener.reset();
    entry.place = place;
    entry.retry_ns = 0;
  }
  const std::int64_t now_ns = clock_.now_ns();
  entry.unused_since_ns = now_ns;
  if (entry.listener == nullptr && (now_ns < entry.retry_ns || !open(entry, now_ns))) {
    if (entry.service == 0) listening_.erase(found);  // there never was one
    return std::nullopt;
  }
  {
    const std::lock_guard guard(sessions_lock_);
    if (sessions_.size() >= kMostSessions) return std::nullopt;
    sessions_[session] = {key, place.own, 0, ends_ns};
  }
  if (began_ && wake_up_ == nullptr) {
    wake_up_ = std::make_unique<WakeUp>();
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  if (wake_up_ != nullptr) wake_up_->wake();
  count();
  return entry.service;
}

void CmResponder::forget(std::uint64_t session) {
  const std::lock_guard guard(sessions_lock_);
  sessions_.erase(session);
}

/// Private data of the acceptance of this request; nothing: it is nobody's that has a session.
std::optional<std::vector<std::byte>> CmResponder::acceptance(const verbs::Gid& own, ByteSpan told) {
  const std::lock_guard guard(sessions_lock_);
  const auto claimed = claimed_cm_session(told);
  const auto session = claimed ? sessions_.find(*claimed) : sessions_.end();
  if (session == sessions_.end() || session->second.own != own || clock_.now_ns() >= session->second.ends_ns)
    return std::nullopt;
  Session& known = session->second;
  const auto request = decode_cm(told, known.key);
  if (!request || request->type != CmMessageType::Request || request->attempt <= known.last_attempt)
    return std::nullopt;
  known.last_attempt = request->attempt;
  const auto out = encode(CmMessage{CmMessageType::Acceptance, request->session, request->attempt}, known.key);
  return std::vector<std::byte>(out.begin(), out.end());
}

std::optional<cm::Acceptance> CmResponder::answer(Listening& entry, ByteSpan told) {
  const std::int64_t now_ns = clock_.now_ns();
  auto words = acceptance(entry.place.own, told);
  const bool stranger = !words;
  if (stranger && !strangers_.take(1, now_ns) && entry.paused_until_ns <= now_ns) {
    entry.paused_until_ns = now_ns + kPauseNs;
    const std::lock_guard guard(sessions_lock_);
    ++status_.pauses;
  }
  auto owned = std::make_shared<Owned>();
  if (words && (owned->port = entry.place.port.lock()) != nullptr) {
    verbs::RcOptions wanted;
    wanted.buffer_bytes = 0;
    if (auto made = owned->port->make_rc(wanted))
      owned->queue_pair = std::move(*made);
    else
      note_problem(made.error().text());
  }
  const std::lock_guard guard(sessions_lock_);
  ++(owned->queue_pair != nullptr ? status_.accepted : status_.refused);
  if (owned->queue_pair == nullptr) return std::nullopt;
  if (budget_ != nullptr) budget_->answer(2, 2 * kManagementBytes, now_ns);
  const std::uint32_t number = owned->queue_pair->number(0);
  return cm::Acceptance{std::move(*words), number, std::move(owned)};
}

/// Ends sessions that are over.
bool CmResponder::in_use(const verbs::Gid& own, std::int64_t now_ns) {
  const std::lock_guard guard(sessions_lock_);
  std::erase_if(sessions_, [&](const auto& each) { return now_ns >= each.second.ends_ns; });
  return std::ranges::any_of(sessions_, [&](const auto& each) { return each.second.own == own; });
}

void CmResponder::step(Listening& entry, std::int64_t now_ns) {
  if (entry.listener == nullptr && now_ns >= entry.retry_ns) (void)open(entry, now_ns);
  if (entry.listener != nullptr && now_ns >= entry.paused_until_ns) {
    const auto stepped = entry.listener->step([&](ByteSpan told) { return answer(entry, told); });
    if (!stepped) {
      entry.listener.reset();
      entry.retry_ns = now_ns + kReopenNs;
      note_problem(stepped.error().text());
    }
  }
  if (in_use(entry.place.own, now_ns)) entry.unused_since_ns = now_ns;
}

void CmResponder::step() {
  const std::lock_guard held(listening_lock_);
  const std::int64_t now_ns = clock_.now_ns();
  for (auto each = listening_.begin(); each != listening_.end();) {
    Listening& entry = each->second;
    bool over = entry.place.closing.stop_requested();
    if (!over) {
      step(entry, now_ns);
      over = now_ns - entry.unused_since_ns > kUnusedNs;
    }
    each = over ? listening_.erase(each) : std::next(each);
  }
  count();
}

void CmResponder::begin() {
  const std::lock_guard held(listening_lock_);
  began_ = true;
}

void CmResponder::end() {
  std::jthread ended;
  {
    const std::lock_guard held(listening_lock_);
    began_ = false;
    ended = std::move(thread_);
    ended.request_stop();
    if (wake_up_ != nullptr) wake_up_->wake();
  }
  if (ended.joinable()) ended.join();
  const std::lock_guard held(listening_lock_);
  wake_up_.reset();
  count();
}

/// What wakes the thread, and for how long it may sleep.
int CmResponder::arm(WakeSet& wake) {
  const std::lock_guard held(listening_lock_);
  const std::int64_t now_ns = clock_.now_ns();
  bool soon = false;
  wake.clear();
  wake.add(wake_up_->fd());
  for (const auto& [own, entry] : listening_) {
    const bool paused = now_ns < entry.paused_until_ns;
    soon = soon || paused || (entry.listener != nullptr && entry.listener->holds_any());
    if (entry.listener != nullptr && !paused) wake.add(entry.listener->fd());
  }
  return soon ? kHoldingMs : kIdleMs;
}

void CmResponder::work(const std::stop_token& stop) {
  WakeSet wake, pause;
  pause.add(wake_up_->fd());
  std::int64_t cpu_ns = thread_cpu_ns();
  std::uint64_t refused = 0;
  while (!stop.stop_requested()) {
    step();
    const std::int64_t used_ns = thread_cpu_ns() - cpu_ns;
    cpu_ns += used_ns;
    const std::uint64_t refused_now = status().refused;
    if (budget_ != nullptr && refused_now == refused) budget_->used_cpu(used_ns, clock_.now_ns());
    refused = refused_now;
    static_cast<void>(wake.wait(arm(wake)));
    wake_up_->clear();
    if (!stop.stop_requested()) static_cast<void>(pause.wait(kBetweenStepsMs));
  }
}

CmResponder::Status CmResponder::status() const {
  const std::lock_guard guard(sessions_lock_);
  Status out = status_;
  out.sessions = sessions_.size();
  return out;
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_responder.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "probes/thread_delay.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kUnusedNs = 30 * kSecond;  // of a listener
constexpr std::int64_t kReopenNs = kSecond;
constexpr std::int64_t kBetweenNs = 10 * kSecond;  // two acceptances of a session
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

/// Nothing: `port` has gone.
Result<void> own_queue_pair(std::shared_ptr<verbs::Port> port, Owned& out) {
  if (port == nullptr) return {};
  verbs::RcOptions wanted;
  wanted.buffer_bytes = 0;
  auto made = port->make_rc(wanted);
  if (!made) return made.error();
  out.port = std::move(port);
  out.queue_pair = std::move(*made);
  return {};
}

std::vector<std::byte> acceptance_of(const CmMessage& request, const SessionKey& key) {
  const auto out = encode(CmMessage{CmMessageType::Acceptance, request.session, request.attempt}, key);
  return {out.begin(), out.end()};
}

std::vector<std::byte> refusal_of(const CmMessage& request, const SessionKey& key) {
  std::vector<std::byte> out(kCmMessageBytes);
  out.resize(encode_refusal(request.session, request.attempt, key, out));
  return out;
}

/// Of this host's connection manager: not until somebody loads a module or gives a permission.
bool is_lasting(const Error& error) {
  return error.code == ErrorCode::NotSupported || error.code == ErrorCode::Denied;
}

/// Holds the lock, or does not within that time. ThreadSanitizer of GCC 12 does not know the locks of a timed_mutex.
std::unique_lock<std::mutex> held_within(std::mutex& lock, std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds kBetweenTries{1};
  const auto until = std::chrono::steady_clock::now() + most;
  std::unique_lock held(lock, std::try_to_lock);
  while (!held && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(kBetweenTries);
    (void)held.try_lock();
  }
  return held;
}

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

/// On the number that sessions know; where none knows it, on any.
Result<void> CmResponder::open(Listening& entry, std::int64_t now_ns) {
  entry.retry_ns = now_ns + kReopenNs;
  if (!in_use(entry.place.own, now_ns)) entry.service = 0;
  auto opened = manager_.listen(entry.place.own, entry.service, entry.place.at);
  note_problem(opened ? "" : opened.error().text());
  if (!opened) return opened.error();
  entry.listener = std::move(*opened);
  entry.service = entry.listener->service();
  return {};
}

/// Null: there are too many. With listening_lock_ held.
CmResponder::Listening* CmResponder::listening_at(const CmPlace& place) {
  auto found = listening_.find(place.own);
  if (found == listening_.end()) {
    if (listening_.size() >= kMostListeners) return nullptr;
    found = listening_.emplace(place.own, Listening{place, nullptr, 0, 0, 0}).first;
  }
  Listening& entry = found->second;
  if (entry.place.closing.stop_requested()) {  // the port is back, as another
    entry.listener.reset();
    entry.place = place;
    entry.retry_ns = 0;
  }
  return &entry;
}

CmOffer CmResponder::offer(const CmPlace& place, std::uint64_t session, const SessionKey& key, std::int64_t ends_ns) {
  const CmOffer none{std::nullopt, false}, not_now{std::nullopt, true};
  const std::unique_lock held = held_within(listening_lock_, kPatience);
  if (!held || place.closing.stop_requested()) return not_now;
  Listening* const entry = listening_at(place);
  if (entry == nullptr) return none;
  const std::int64_t now_ns = clock_.now_ns();
  entry->unused_since_ns = now_ns;
  if (entry->listener == nullptr) {
    Result<void> opened = Error{ErrorCode::TimedOut, "the listener failed within this second", "", 0};
    if (now_ns >= entry->retry_ns) opened = open(*entry, now_ns);
    if (!opened) {
      if (entry->service == 0) listening_.erase(place.own);  // nobody knows of it
      return is_lasting(opened.error()) ? none : not_now;
    }
  }
  {
    const std::lock_guard guard(sessions_lock_);
    if (sessions_.size() >= kMostSessions) return none;
    sessions_[session] = {key, place.own, 0, ends_ns, 0};
  }
  if (began_ && wake_up_ == nullptr) {
    wake_up_ = std::make_unique<WakeUp>();
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  if (wake_up_ != nullptr) wake_up_->wake();
  count();
  return {entry->service, false};
}

void CmResponder::forget(std::uint64_t session) {
  const std::lock_guard guard(sessions_lock_);
  sessions_.erase(session);
}

/// Nothing: it is nobody's that has a session here.
std::optional<CmResponder::Caller> CmResponder::hear(const verbs::Gid& own, ByteSpan told, std::int64_t now_ns) {
  const std::lock_guard guard(sessions_lock_);
  const auto claimed = claimed_cm_session(told);
  const auto session = claimed ? sessions_.find(*claimed) : sessions_.end();
  if (session == sessions_.end() || session->second.own != own) return std::nullopt;
  Session& known = session->second;
  const auto request = decode_cm(told, known.key);
  if (!request || request->type != CmMessageType::Request) return std::nullopt;
  const bool in_time = now_ns >= known.next_ns && now_ns < known.ends_ns;
  const Caller out{known.key, *request, in_time && request->attempt > known.last_attempt};
  known.last_attempt = std::max(known.last_attempt, request->attempt);
  return out;
}

cm::Reply CmResponder::answer(const Listening& entry, ByteSpan told, bool has_room) {
  const std::int64_t now_ns = clock_.now_ns();
  const auto caller = hear(entry.place.own, told, now_ns);
  auto owned = std::make_shared<Owned>();
  if (caller && caller->welcome && has_room)
    if (auto made = own_queue_pair(entry.place.port.lock(), *owned); !made) note_problem(made.error().text());
  const std::lock_guard guard(sessions_lock_);
  if (owned->queue_pair == nullptr) {
    ++status_.refused;
    return cm::Refusal{caller ? refusal_of(caller->request, caller->key) : std::vector<std::byte>()};
  }
  ++status_.accepted;
  if (const auto session = sessions_.find(caller->request.session); session != sessions_.end())
    session->second.next_ns = now_ns + kBetweenNs;
  if (budget_ != nullptr) budget_->answer(2, 2 * kManagementBytes, now_ns);
  const std::uint32_t number = owned->queue_pair->number(0);
  return cm::Acceptance{acceptance_of(caller->request, caller->key), number, std::move(owned)};
}

/// Ends sessions that are over.
bool CmResponder::in_use(const verbs::Gid& own, std::int64_t now_ns) {
  const std::lock_guard guard(sessions_lock_);
  std::erase_if(sessions_, [&](const auto& each) { return now_ns >= each.second.ends_ns; });
  return std::ranges::any_of(sessions_, [&](const auto& each) { return each.second.own == own; });
}

void CmResponder::step(Listening& entry, std::int64_t now_ns) {
  if (entry.listener == nullptr && now_ns >= entry.retry_ns) (void)open(entry, now_ns);
  if (entry.listener != nullptr) {
    const auto answering = [&](ByteSpan told, bool has_room) { return answer(entry, told, has_room); };
    const auto stepped = entry.listener->step(answering);
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
  bool soon = false;
  wake.clear();
  wake.add(wake_up_->fd());
  for (const auto& [own, entry] : listening_) {
    if (entry.listener == nullptr) continue;
    soon = soon || entry.listener->holds_any();
    wake.add(entry.listener->fd());
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

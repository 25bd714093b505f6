// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_prober.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "probes/cm_message.h"
#include "probes/thread_delay.h"

namespace roceready::probes {
namespace {

constexpr std::size_t kManagementBytes = 256;  // of a management datagram
constexpr std::chrono::milliseconds kIdle{200}, kNothingToDo{1000};
constexpr std::int64_t kAlsoNs = 1'000'000'000;  // datagrams of that time behind a failure count with it
constexpr double kMostLost = 0.1;                // share of the datagrams of that time that may be
// Attempts that wait for an answer at a time. One waits for 10 s, so that a worker is enough for four silent targets.
constexpr std::size_t kFewWorkers = 4, kMostWorkers = 16, kTargetsEach = 4;
constexpr std::int64_t kRounds = 4;  // that the window has, at least

/// Whether the peer that accepted is the one of the session.
bool is_acceptance(const CmTarget& target, std::uint64_t attempt, ByteSpan told) {
  const auto said = decode_cm(told, target.key);
  return said == CmMessage{CmMessageType::Acceptance, target.session, attempt};
}

cm::Outcome could_not(const Error& error) {
  cm::Outcome out;
  out.why_not = {Why::NotPresent, error.text()};
  return out;
}

/// Why nothing is tried, whatever was tried before; nothing: it is tried.
std::optional<Absent> why_none(const CmTarget& target) {
  if (target.service != 0) return std::nullopt;
  return Absent{Why::NotSupported,
                "the peer does not listen for RDMA connections: it is an older version, or its host has no rdma_ucm "
                "module or no permission"};
}

/// Of counts that only rise.
bool lost_too_many(std::uint64_t lost, std::uint64_t answered) {
  return lost >= 2 &&
         static_cast<double>(lost) > kMostLost * (static_cast<double>(lost) + static_cast<double>(answered));
}

}  // namespace

CmProber::~CmProber() {
  request_stop();
}

bool CmProber::same(const CmTarget& a, const CmTarget& b) {
  return a.named.device == b.named.device && a.named.port == b.named.port && a.named.peer == b.named.peer &&
         a.named.peer_device == b.named.peer_device && a.named.peer_port == b.named.peer_port;
}

CmProber::Known* CmProber::find(const CmTarget& target) {
  const auto found = std::ranges::find_if(targets_, [&](const Known& each) { return same(each.target, target); });
  return found == targets_.end() ? nullptr : &*found;
}

std::int64_t CmProber::Known::due_ns() const {
  return begun_ns ? std::max(*begun_ns + pause_ns(), able_ns) : able_ns;
}

/// Long enough for some attempts, however far apart they are.
std::int64_t CmProber::Known::window_ns() const {
  return std::max(kWindowNs, kRounds * std::max(apart_ns, pause_ns()));
}

void CmProber::Known::begin(std::int64_t now_ns) {
  apart_ns = pause_ns() + std::max<std::int64_t>(now_ns - due_ns(), 0);
  begun_ns = now_ns;
}

void CmProber::Known::conclude(Ended how, std::int64_t now_ns, Reading<std::string> why) {
  newest.push_back({now_ns, how});
  std::erase_if(newest, [&](const Tried& each) { return now_ns - each.at_ns > window_ns(); });
  error = std::move(why);
  since_well = how == Ended::Well ? 0 : since_well + 1;
  if (how == Ended::NotTried) return;
  ++total_sent;
  if (how == Ended::Failed) ++total_lost, ++lost_in_row;
  if (how == Ended::Well) lost_in_row = 0;
}

/// By the peer's own word: it was reached.
void CmProber::Known::refuse(const std::string& why, std::int64_t now_ns) {
  lost_in_row = 0;
  conclude(Ended::NotTried, now_ns, "the peer refused: " + why);
}

/// By what is known of the target's datagrams now.
void CmProber::Known::judge(std::int64_t now_ns) {
  if (!target.carries) lost_in_row = 0;
  if (!doubtful) return;
  const bool replaced = target.session != doubtful->session;  // the peer may have forgotten the old one before the call
  if (target.carries && !replaced && target.known_until_ns < doubtful->ended_ns + kAlsoNs) return;
  // A session's link that was made anew counts from 0 again: nobody knows.
  const bool none =
      target.datagrams_answered <= doubtful->datagrams_answered || target.datagrams_lost < doubtful->datagrams_lost;
  const bool lost =
      !target.carries || (!none && lost_too_many(target.datagrams_lost - doubtful->datagrams_lost,
                                                 target.datagrams_answered - doubtful->datagrams_answered));
  const std::string why = std::move(doubtful->why);
  doubtful.reset();
  if (replaced)
    conclude(Ended::NotTried, now_ns, why + "; not counted, since the session was replaced meanwhile");
  else if (lost || none)
    conclude(Ended::NotTried, now_ns,
             why + "; not counted, since datagrams were " + (lost ? "lost" : "not answered") + " at that time as well");
  else
    conclude(Ended::Failed, now_ns, why);
}

void CmProber::set_targets(std::vector<CmTarget> targets) {
  const std::lock_guard guard(lock_);
  const std::int64_t now_ns = clock_.now_ns();
  std::vector<Known> all;
  all.reserve(targets.size());
  for (CmTarget& target : targets) {
    Known* const before = find(target);
    Known& to = before == nullptr ? all.emplace_back() : all.emplace_back(std::move(*before));
    const bool moved = before != nullptr && (to.target.from != target.from || to.target.to != target.to);
    to.target = std::move(target);
    if (moved) to.lost_in_row = 0, to.doubtful.reset();
    if (before == nullptr || !to.may_be_tried()) to.able_ns = now_ns;
    to.judge(now_ns);
  }
  targets_ = std::move(all);
}

void CmProber::keep_workers() {
  std::size_t listening = 0;
  {
    const std::lock_guard guard(lock_);
    for (const Known& each : targets_) listening += each.target.service != 0 ? 1 : 0;
  }
  const std::size_t wanted = std::min(listening, std::clamp(listening / kTargetsEach, kFewWorkers, kMostWorkers));
  const std::stop_token stop = ends_.get_token();
  if (wanted == 0 || stop.stop_requested()) return;
  if (!keeper_.joinable()) keeper_ = std::jthread([this, stop] { keep(stop); });
  while (workers_.size() < wanted) workers_.emplace_back([this, stop] { work(stop); });
}

void CmProber::request_stop() {
  ends_.request_stop();
  woken_.notify_all();
}

/// The one that waits longest, so that each has its turn.
CmProber::Known* CmProber::next_due(std::int64_t now_ns) {
  Known* next = nullptr;
  for (Known& each : targets_) {
    const bool may = each.may_be_tried() && each.due_ns() <= now_ns;
    if (may && (next == nullptr || each.due_ns() < next->due_ns())) next = &each;
  }
  return next;
}

std::optional<CmProber::Attempt> CmProber::begin() {
  const std::lock_guard guard(lock_);
  const std::int64_t now_ns = clock_.now_ns();
  Known* const next = now_ns < not_before_ns_ ? nullptr : next_due(now_ns);
  if (next == nullptr) return std::nullopt;
  next->begin(now_ns);   // whatever comes of it: the others have their turn
  if (next->doubtful) {  // nobody told what became of the datagrams in all that time
    next->doubtful.reset();
    next->conclude(Ended::NotTried, now_ns, next->error);
  }
  if (const Held held = budget_.ask(next->target.budget_target, kManagementBytes, now_ns); held != Held::No) {
    next->conclude(Ended::NotTried, now_ns, std::string("held back by the budget: ") + name_of(held));
    return std::nullopt;
  }
  not_before_ns_ = now_ns + kSpacingNs;
  budget_.answer(3, 3 * kManagementBytes, now_ns);  // ready to use, disconnect, and a repetition
  return Attempt{next->target, ++attempts_};
}

cm::Outcome CmProber::make(const Attempt& attempt, const std::stop_token& stop) {
  const CmTarget& target = attempt.target;
  Owned owned{target.port.lock(), nullptr, target.closing, 0};
  if (owned.port == nullptr || owned.closing.stop_requested())
    return could_not({ErrorCode::NotFound, "the port was closed", "", 0});
  verbs::RcOptions wanted;
  wanted.buffer_bytes = 0;
  auto made = owned.port->make_rc(wanted);
  if (!made) return could_not(made.error());
  owned.queue_pair = std::move(*made);
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback on_stop(stop, end), on_closing(owned.closing, end);
  const auto request = encode(CmMessage{CmMessageType::Request, target.session, attempt.number}, target.key);
  cm::Outcome out = manager_.call({target.from,
                                   target.to,
                                   target.service,
                                   target.traffic_class,
                                   {request.begin(), request.end()},
                                   target.through,
                                   owned.queue_pair->number(0)},
                                  either.get_token());
  if (either.stop_requested()) return could_not({ErrorCode::NotFound, "the port was closed", "", 0});
  owned.until_ns = clock_.now_ns() + kKeptAfterNs;
  const std::lock_guard guard(lock_);
  kept_.push_back(std::move(owned));
  return out;
}

void CmProber::let_go(std::int64_t now_ns) {
  std::vector<Owned> over;  // ended without the lock
  const std::lock_guard guard(lock_);
  for (Owned& each : kept_)
    if (now_ns >= each.until_ns || each.closing.stop_requested()) over.push_back(std::move(each));
  std::erase_if(kept_, [](const Owned& each) { return each.port == nullptr; });
}

std::size_t CmProber::queue_pairs_kept() const {
  const std::lock_guard guard(lock_);
  return kept_.size();
}

bool CmProber::step(const std::stop_token& stop) {
  let_go(clock_.now_ns());
  const auto attempt = begin();
  if (!attempt) return false;
  const cm::Outcome outcome = make(*attempt, stop);
  if (!stop.stop_requested()) note(*attempt, outcome);
  return true;
}

void CmProber::note(const Attempt& attempt, const cm::Outcome& outcome) {
  const std::lock_guard guard(lock_);
  Known* const known = find(attempt.target);
  if (known == nullptr || known->target.from != attempt.target.from || known->target.to != attempt.target.to) return;
  const std::int64_t now_ns = clock_.now_ns();
  if (outcome.kind == cm::Outcome::Kind::Failed &&
      is_refusal(outcome.told, attempt.target.session, attempt.number, attempt.target.key))
    return known->refuse(outcome.why, now_ns);
  const auto failed = [&](const std::string& why) {
    known->doubtful =
        Doubtful{now_ns, attempt.target.session, attempt.target.datagrams_lost, attempt.target.datagrams_answered, why};
    known->error = why;
    known->judge(now_ns);
  };
  using Kind = cm::Outcome::Kind;
  switch (outcome.kind) {
    case Kind::Connected:
      if (is_acceptance(attempt.target, attempt.number, outcome.told))
        known->conclude(Ended::Well, now_ns, Absent{Why::NotPresent, "no connection failed"});
      else
        failed(std::string(name_of(cm::Stage::Connect)) +
               ": accepted by somebody who does not know the session: the address leads elsewhere");
      break;
    case Kind::Failed:
      failed(std::string(name_of(outcome.stage)) + ": " + outcome.why);
      break;
    case Kind::Refused:
      known->refuse(outcome.why, now_ns);
      break;
    case Kind::NotTried:
      if (outcome.why_not.why == Why::NotSupported || outcome.why_not.why == Why::Denied)
        known->conclude(Ended::NotTried, now_ns, outcome.why_not);
      else
        known->conclude(Ended::NotTried, now_ns, outcome.why_not.detail);
      break;
  }
}

/// What this thread used since `cpu_ns`.
void CmProber::book(std::int64_t& cpu_ns) {
  const std::int64_t used_ns = thread_cpu_ns() - cpu_ns;
  cpu_ns += used_ns;
  budget_.used_cpu(used_ns, clock_.now_ns());
}

void CmProber::rest(const std::stop_token& stop) {
  std::unique_lock held(lock_);
  const auto pause = targets_.empty() && kept_.empty() ? kNothingToDo : kIdle;
  (void)woken_.wait_for(held, stop, pause, [] { return false; });
}

void CmProber::work(const std::stop_token& stop) {
  std::int64_t cpu_ns = thread_cpu_ns();
  while (!stop.stop_requested()) {
    const bool tried = step(stop);
    book(cpu_ns);
    if (!tried) rest(stop);
  }
}

/// For queue pairs of ports that are closed while all workers wait for peers.
void CmProber::keep(const std::stop_token& stop) {
  std::int64_t cpu_ns = thread_cpu_ns();
  while (!stop.stop_requested()) {
    let_go(clock_.now_ns());
    book(cpu_ns);
    rest(stop);
  }
}

PeerProbe CmProber::told(const Known& known, std::int64_t now_ns) {
  PeerProbe out = known.target.named;
  out.kind = kCmKind;
  out.size = kCmMessageBytes;
  out.lost_in_row = known.lost_in_row;
  out.discarded = known.since_well;
  out.total_sent = known.total_sent;
  out.total_lost = known.total_lost;
  for (const Tried& each : known.newest) {
    if (now_ns - each.at_ns > known.window_ns()) continue;
    ++(each.how == Ended::NotTried ? out.not_sent : out.sent);
    if (each.how == Ended::Failed) ++out.lost;
  }
  const Absent no_time{Why::NotSupported, "connections are made, not timed"};
  out.rtt = out.total = out.prober_delay = out.responder_delay = no_time;
  out.baseline_p50_seconds = out.baseline_p99_seconds = no_time;
  out.lost_there = out.lost_back = Absent{Why::NotSupported, "the kind does not tell"};
  out.traffic_class = Absent{Why::NotSupported, "no header is seen"};
  out.control_answers = Absent{Why::NotPresent, "not asked"};
  const auto none = why_none(known.target);
  out.error = none ? Reading<std::string>(*none) : known.error;
  return out;
}

std::vector<PeerProbe> CmProber::results() const {
  const std::lock_guard guard(lock_);
  const std::int64_t now_ns = clock_.now_ns();
  std::vector<PeerProbe> out;
  out.reserve(targets_.size());
  for (const Known& each : targets_) out.push_back(told(each, now_ns));
  return out;
}

void CmProber::add_to(ProbeFacts& facts) const {
  std::vector<PeerProbe> more = results();
  facts.peers.insert(facts.peers.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  std::ranges::sort(facts.peers, [](const PeerProbe& a, const PeerProbe& b) {
    return std::tie(a.device, a.port, a.peer, a.peer_device, a.kind) <
           std::tie(b.device, b.port, b.peer, b.peer_device, b.kind);
  });
}

}  // namespace roceready::probes

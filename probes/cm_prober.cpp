// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_prober.h"

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "probes/cm_message.h"
#include "probes/thread_delay.h"

namespace roceready::probes {
namespace {

constexpr std::size_t kManagementBytes = 256;  // of a management datagram
constexpr int kIdleMs = 250;
constexpr int kWorkers = 4;  // attempts that wait for an answer at a time

/// Whether the peer that accepted is the one of the session.
bool is_acceptance(const CmTarget& target, std::uint64_t attempt, ByteSpan told) {
  const auto said = decode_cm(told, target.key);
  return said == CmMessage{CmMessageType::Acceptance, target.session, attempt};
}

}  // namespace

bool CmProber::same(const CmTarget& a, const CmTarget& b) {
  return a.named.device == b.named.device && a.named.port == b.named.port && a.named.peer == b.named.peer &&
         a.named.peer_device == b.named.peer_device && a.named.peer_port == b.named.peer_port;
}

void CmProber::set_targets(std::vector<CmTarget> targets) {
  const std::lock_guard guard(lock_);
  std::vector<Known> all;
  all.reserve(targets.size());
  for (CmTarget& target : targets) {
    const auto known = std::ranges::find_if(targets_, [&](const Known& each) { return same(each.target, target); });
    Known& to = known == targets_.end() ? all.emplace_back() : all.emplace_back(std::move(*known));
    to.target = std::move(target);
  }
  targets_ = std::move(all);
}

CmProber::Known* CmProber::next_due(std::int64_t now_ns) {
  Known* next = nullptr;
  for (Known& each : targets_)
    if (each.target.service != 0 && each.due_ns <= now_ns && (next == nullptr || each.due_ns < next->due_ns))
      next = &each;
  return next;
}

bool CmProber::step(const std::stop_token& stop) {
  CmTarget target;
  std::uint64_t attempt = 0;
  {
    const std::lock_guard guard(lock_);
    const std::int64_t now_ns = clock_.now_ns();
    Known* next = now_ns < not_before_ns_ ? nullptr : next_due(now_ns);
    if (next == nullptr) return false;
    not_before_ns_ = now_ns + kSpacingNs;
    if (budget_.ask(next->target.budget_target, kManagementBytes, now_ns) != Held::No) return false;
    budget_.answer(3, 3 * kManagementBytes, now_ns);  // ready to use, disconnect, and a repetition
    next->due_ns = now_ns + kIntervalNs;
    attempt = ++next->attempts;
    target = next->target;
  }
  const auto request = encode(CmMessage{CmMessageType::Request, target.session, attempt}, target.key);
  const cm::Outcome outcome = manager_.call(
      {target.from, target.to, target.service, target.traffic_class, {request.begin(), request.end()}}, stop);
  if (!stop.stop_requested()) note(target, outcome, attempt);
  return true;
}

void CmProber::note(const CmTarget& tried, const cm::Outcome& outcome, std::uint64_t attempt) {
  const std::lock_guard guard(lock_);
  const auto found = std::ranges::find_if(targets_, [&](const Known& each) { return same(each.target, tried); });
  if (found == targets_.end()) return;
  Known& known = *found;
  const std::int64_t now_ns = clock_.now_ns();
  const auto ended = [&](Ended how, Reading<std::string> error) {
    known.newest.push_back({now_ns, how});
    known.error = std::move(error);
    if (how == Ended::NotTried) return;
    ++known.total_sent;
    if (how == Ended::Failed) ++known.total_lost, ++known.lost_in_row;
    if (how == Ended::Well) known.lost_in_row = 0;
  };
  using Kind = cm::Outcome::Kind;
  switch (outcome.kind) {
    case Kind::Connected:
      if (is_acceptance(tried, attempt, outcome.told))
        ended(Ended::Well, Absent{Why::NotPresent, "no connection failed"});
      else
        ended(Ended::Failed, std::string(name_of(cm::Stage::Connect)) +
                                 ": accepted by somebody who does not know the session: the address leads elsewhere");
      break;
    case Kind::Failed:
      ended(Ended::Failed, std::string(name_of(outcome.stage)) + ": " + outcome.why);
      break;
    case Kind::Refused:
      ended(Ended::NotTried, "the peer's connection manager refused: " + outcome.why);
      break;
    case Kind::NotTried:
      if (outcome.why_not.why == Why::NotSupported || outcome.why_not.why == Why::Denied)
        ended(Ended::NotTried, outcome.why_not);
      else
        ended(Ended::NotTried, outcome.why_not.detail);
      break;
  }
  std::erase_if(known.newest, [&](const Tried& each) { return now_ns - each.at_ns > kWindowNs; });
}

void CmProber::work(const std::stop_token& stop) {
  WakeSet wake;
  wake.add(wake_up_.fd());
  std::int64_t cpu_ns = thread_cpu_ns();
  while (!stop.stop_requested()) {
    if (!step(stop)) static_cast<void>(wake.wait(kIdleMs));
    const std::int64_t used_ns = thread_cpu_ns() - cpu_ns;
    cpu_ns += used_ns;
    budget_.used_cpu(used_ns, clock_.now_ns());
  }
}

void CmProber::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { wake_up_.wake(); });
  std::vector<std::jthread> others;
  for (int i = 1; i < kWorkers; ++i) others.emplace_back([this, &stop] { work(stop); });
  work(stop);
}

PeerProbe CmProber::told(const Known& known, std::int64_t now_ns) {
  PeerProbe out = known.target.named;
  out.kind = kCmKind;
  out.size = kCmMessageBytes;
  out.lost_in_row = known.lost_in_row;
  out.total_sent = known.total_sent;
  out.total_lost = known.total_lost;
  for (const Tried& each : known.newest) {
    if (now_ns - each.at_ns > kWindowNs) continue;
    ++(each.how == Ended::NotTried ? out.not_sent : out.sent);
    if (each.how == Ended::Failed) ++out.lost;
  }
  const Absent no_time{Why::NotSupported, "connections are made, not timed"};
  out.rtt = out.total = out.prober_delay = out.responder_delay = no_time;
  out.baseline_p50_seconds = out.baseline_p99_seconds = no_time;
  out.lost_there = out.lost_back = Absent{Why::NotSupported, "the kind does not tell"};
  out.traffic_class = Absent{Why::NotSupported, "no header is seen"};
  out.control_answers = Absent{Why::NotPresent, "not asked"};
  out.error = known.target.service != 0
                  ? known.error
                  : Absent{Why::NotSupported,
                           "the peer offers no RDMA CM listener: it is an older version, or its host has no librdmacm, "
                           "no rdma_ucm module or no permission"};
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

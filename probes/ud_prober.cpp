// SPDX-License-Identifier: Apache-2.0
#include "probes/ud_prober.h"

#include <algorithm>
#include <utility>

#include "probes/verbs/status.h"

namespace roceready::probes {
namespace {

constexpr std::size_t kBatch = 32;

/// What a send completes with: the target, and as much of the sequence as tells open probes apart.
std::uint64_t send_id(std::uint32_t target, std::uint64_t sequence) {
  return static_cast<std::uint64_t>(target) << 32 | (sequence & 0xffffffff);
}

}  // namespace

void UdProber::open(std::uint32_t target, const UdTarget& how) {
  drop(target);
  if (const auto other = by_session_.find(how.session); other != by_session_.end()) close(other->second);
  State state;
  state.how = how;
  targets_[target] = std::move(state);
  by_session_[how.session] = target;
}

void UdProber::close(std::uint32_t target) {
  drop(target);
  late_replies_.forget(target);
}

void UdProber::drop(std::uint32_t target) {
  const auto found = targets_.find(target);
  if (found == targets_.end()) return;
  by_session_.erase(found->second.how.session);
  targets_.erase(found);
}

Result<void> UdProber::probe(std::uint32_t target, std::uint32_t path, std::uint32_t size, std::uint64_t own_digest) {
  const auto found = targets_.find(target);
  if (found == targets_.end()) return Error{ErrorCode::Usage, "there is no session with this peer", "probe", 0};
  State& state = found->second;
  Message message;
  message.type = MessageType::Probe;
  message.size = static_cast<std::uint16_t>(std::min<std::size_t>(size, kLargestMessage));
  message.path = static_cast<std::uint16_t>(path);
  message.session = state.how.session;
  message.sequence = state.next_sequence;
  message.digest = own_digest;
  std::array<std::byte, kLargestMessage> bytes;
  const std::size_t length = encode(message, state.how.key, bytes);
  if (length == 0) return Error{ErrorCode::Usage, "a probe has at least 64 bytes", "probe", 0};

  verbs::UdSend what;
  what.payload = std::span(bytes).first(length);
  what.queue_pair = path % ud_.queue_pairs();
  what.to = state.how.addresses[path % state.how.addresses.size()];
  what.to_queue_pair = state.how.peer_queue_pairs[path % state.how.peer_queue_pairs.size()];
  what.to_qkey = state.how.peer_qkey;
  what.id = send_id(target, message.sequence);
  OpenProbe open;
  open.sequence = message.sequence;
  open.path = path;
  open.size = static_cast<std::uint32_t>(length);
  open.posted_ns = clock_.now_ns();  // as late as can be: what comes before is not part of the probe
  if (auto sent = ud_.send(what); !sent) return sent;
  ++state.next_sequence;
  state.open.push_back(std::move(open));
  expiries_.push_back({state.open.back().posted_ns + timeout_ns_, target, state.how.session, message.sequence});
  return {};
}

UdProber::OpenProbe* UdProber::find(State& state, std::uint64_t sequence) {
  const auto place =
      std::lower_bound(state.open.begin(), state.open.end(), sequence,
                       [](const OpenProbe& each, std::uint64_t wanted) { return each.sequence < wanted; });
  return place == state.open.end() || place->sequence != sequence ? nullptr : &*place;
}

Result<bool> UdProber::step(std::int64_t late_ns, const Sink& sink) {
  std::array<verbs::Completion, kBatch> batch;
  bool any = false;
  // At most what one ring can hold at a time: whoever floods us does not keep the timeouts from being seen.
  for (int rounds = 0; rounds < 128; ++rounds) {
    const auto count = ud_.poll(batch);
    if (!count) return count.error();
    const std::int64_t now_ns = clock_.now_ns();
    late_ns = std::max(late_ns, gap_.late_ns(now_ns));
    if (*count == 0) break;
    any = true;
    for (const verbs::Completion& completion : std::span(batch).first(*count)) {
      if (completion.operation == verbs::Operation::Receive && completion.status == verbs::Status::Success)
        received(completion, now_ns, late_ns > kLateNs, sink);
      else
        departed(completion, sink);
    }
    if (*count < kBatch) break;
  }
  expire(clock_.now_ns(), sink);
  return any;
}

void UdProber::departed(const verbs::Completion& completion, const Sink& sink) {
  const auto target = static_cast<std::uint32_t>(completion.id >> 32);
  const auto found = targets_.find(target);
  if (found == targets_.end()) return;
  State& state = found->second;
  const auto place = std::find_if(state.open.begin(), state.open.end(), [&](const OpenProbe& each) {
    return (each.sequence & 0xffffffff) == (completion.id & 0xffffffff);
  });
  if (place == state.open.end()) return;
  const std::uint64_t sequence = place->sequence;
  if (completion.status != verbs::Status::Success) {
    ProbeOutcome outcome;
    outcome.kind = ProbeOutcome::Kind::NotSent;
    outcome.why = verbs::explain(completion.status) + " (" + verbs::name_of(completion.status) + ")";
    conclude(target, state, sequence, std::move(outcome), sink);
    return;
  }
  place->departed = true;
  place->left_nic_ns = completion.nic_ns;
  finish_if_whole(target, state, sequence, sink);
}

void UdProber::received(const verbs::Completion& completion, std::int64_t polled_ns, bool late, const Sink& sink) {
  const auto claim = claimed_session(completion.payload);
  if (const Refusal* refusal = std::get_if<Refusal>(&claim)) return refuse(*refusal);
  const auto session = by_session_.find(std::get<std::uint64_t>(claim));
  if (session == by_session_.end()) {
    const std::uint64_t past = std::get<std::uint64_t>(claim);
    const LateReplies::Session* const of = late_replies_.find(past);
    return of == nullptr ? refuse(Refusal::UnknownSession) : received_late(past, *of, completion, polled_ns, sink);
  }
  const std::uint32_t target = session->second;
  State& state = targets_.at(target);
  const auto decoded = decode(completion.payload, state.how.key);
  if (const Refusal* refusal = std::get_if<Refusal>(&decoded)) return refuse(*refusal);
  const Message& reply = std::get<Message>(decoded);
  OpenProbe* const probe = reply.type == MessageType::Probe ? nullptr : find(state, reply.sequence);
  if (probe == nullptr && late_replies_.awaits(state.how.session, reply))
    return take_late(state.how.session, target, reply, polled_ns, sink);
  if (probe == nullptr || probe->path != reply.path || reply.size > probe->size) return refuse(Refusal::NotAsked);
  if (state.how.one_reply && reply.type == MessageType::FirstReply) return refuse(Refusal::NotAsked);
  if (reply.type == MessageType::FirstReply ? probe->first : probe->second) return refuse(Refusal::Replayed);
  take(reply, completion, *probe, state, polled_ns, late);
  finish_if_whole(target, state, reply.sequence, sink);
}

/// A reply of a session that was replaced.
void UdProber::received_late(std::uint64_t session, const LateReplies::Session& of, const verbs::Completion& completion,
                             std::int64_t polled_ns, const Sink& sink) {
  const auto decoded = decode(completion.payload, of.key);
  if (const Refusal* refusal = std::get_if<Refusal>(&decoded)) return refuse(*refusal);
  const Message& reply = std::get<Message>(decoded);
  if (!late_replies_.awaits(session, reply)) return refuse(Refusal::NotAsked);
  take_late(session, of.target, reply, polled_ns, sink);
}

/// The second reply alone tells how long the probe lay there.
void UdProber::take_late(std::uint64_t session, std::uint32_t target, const Message& reply, std::int64_t polled_ns,
                         const Sink& sink) {
  if (reply.type != MessageType::SecondReply) return;
  const auto probe = late_replies_.take(session, reply);
  if (!probe) return;
  const std::int64_t total_ns = polled_ns - probe->posted_ns;
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(total_ns, 0));
  ProbeOutcome outcome;
  outcome.kind = ProbeOutcome::Kind::AnsweredLate;
  outcome.target = target;
  outcome.path = probe->path;
  outcome.size = probe->size;
  outcome.posted_ns = probe->posted_ns;
  outcome.timing.total_ns = total_ns;
  outcome.timing.responder_late = reply.host_late;
  outcome.timing.responder_delay_ns = static_cast<std::int64_t>(std::min(reply.responder_delay_ns, most));
  const bool possible = reply.host_late || reply.responder_delay_ns < most;
  outcome.peer_kept_it = possible && total_ns - outcome.timing.responder_delay_ns <= timeout_ns_;
  const auto found = targets_.find(target);
  if (found != targets_.end() && found->second.how.session == session)
    outcome.known_wrongly = found->second.sides.came_late(probe->sequence, reply.arrived);
  sink(outcome);  // last: the sink may close the target
}

void UdProber::take(const Message& reply, const verbs::Completion& completion, OpenProbe& probe, const State& state,
                    std::int64_t polled_ns, bool late) {
  probe.peer_digest = reply.digest;
  if (reply.arrived) probe.arrived = reply.arrived;
  if (reply.header_believed) {
    probe.seen = SeenClass{static_cast<std::uint8_t>(state.how.traffic_class >> 2),
                           static_cast<std::uint8_t>(state.how.traffic_class & 3), reply.dscp_seen, reply.ecn_seen,
                           reply.ttl_seen};
  }
  if (reply.type == MessageType::FirstReply || state.how.one_reply) {
    probe.first = true;
    probe.late = late;
    probe.polled_ns = polled_ns;
    // With the host's delay of the responder the NIC's clocks would not leave out the hosts.
    if (!state.how.one_reply) probe.came_nic_ns = completion.nic_ns;
  }
  if (reply.type == MessageType::SecondReply) {
    probe.second = true;
    probe.responder_delay_ns = reply.responder_delay_ns;
    probe.responder_late = reply.host_late;
  }
}

void UdProber::finish_if_whole(std::uint32_t target, State& state, std::uint64_t sequence, const Sink& sink) {
  const OpenProbe* const probe = find(state, sequence);
  if (probe == nullptr || !probe->first || !probe->second || !probe->departed) return;
  conclude(target, state, sequence, judge(*probe), sink);
}

ProbeOutcome UdProber::judge(const OpenProbe& probe) {
  ProbeOutcome outcome;
  outcome.late = probe.late;
  if (!probe.first && !probe.second && !probe.departed) {
    outcome.kind = ProbeOutcome::Kind::NotSent;
    outcome.why =
        "the NIC has not sent it within " + std::to_string(timeout_ns_ / 1'000'000) + " ms: the port may be paused";
    return outcome;
  }
  if (!probe.first) {
    outcome.kind = ProbeOutcome::Kind::Lost;
    return outcome;
  }
  outcome.kind = ProbeOutcome::Kind::Untimed;
  if (!probe.second || !probe.departed) {
    outcome.why = probe.second ? "the NIC did not say that the probe left" : "the second reply did not come";
    return outcome;
  }
  ProbeStamps stamps;
  stamps.posted_ns = probe.posted_ns;
  stamps.polled_ns = probe.polled_ns;
  if (probe.left_nic_ns && probe.came_nic_ns) stamps.on_the_wire_ns = *probe.came_nic_ns - *probe.left_nic_ns;
  stamps.responder_delay_ns = probe.responder_delay_ns;
  stamps.responder_late = probe.responder_late;
  const auto timing = timing_of(stamps);
  if (const Impossible* impossible = std::get_if<Impossible>(&timing)) {
    ++discards_[static_cast<std::size_t>(*impossible)];
    outcome.why = std::string("impossible times: ") + name_of(*impossible);
    return outcome;
  }
  outcome.kind = ProbeOutcome::Kind::Answered;
  outcome.timing = std::get<ProbeTiming>(timing);
  return outcome;
}

void UdProber::conclude(std::uint32_t target, State& state, std::uint64_t sequence, ProbeOutcome outcome,
                        const Sink& sink) {
  const auto place = std::find_if(state.open.begin(), state.open.end(),
                                  [&](const OpenProbe& each) { return each.sequence == sequence; });
  outcome.target = target;
  outcome.path = place->path;
  outcome.size = place->size;
  outcome.posted_ns = place->posted_ns;
  outcome.seen = place->seen;
  outcome.peer_digest = place->peer_digest;
  outcome.arrivals_counted = place->arrived.has_value();
  const std::optional<std::uint32_t> arrived = place->arrived;
  if (outcome.kind == ProbeOutcome::Kind::Lost && !place->second)
    late_replies_.await(state.how.session, target, state.how.key,
                        {sequence, place->path, place->size, place->posted_ns, clock_.now_ns()});
  state.open.erase(place);
  using End = LossSides::End;
  const End end = outcome.kind == ProbeOutcome::Kind::Lost      ? End::Lost
                  : outcome.kind == ProbeOutcome::Kind::NotSent ? End::NotSent
                                                                : End::Answered;
  outcome.known = state.sides.ended(sequence, end, outcome.size <= state.how.small_bytes, arrived,
                                    state.open.empty() ? state.next_sequence : state.open.front().sequence);
  sink(outcome);  // last: the sink may close the target
}

void UdProber::expire(std::int64_t now_ns, const Sink& sink) {
  late_replies_.prune(now_ns);
  while (!expiries_.empty()) {
    const Expiry next = expiries_.front();
    const auto found = targets_.find(next.target);
    // What ended before its time is dropped whenever it is at the front, so that the queue stays short.
    OpenProbe* const probe = found == targets_.end() || found->second.how.session != next.session
                                 ? nullptr
                                 : find(found->second, next.sequence);
    if (probe != nullptr && next.at_ns > now_ns) return;
    expiries_.pop_front();
    if (probe != nullptr) conclude(next.target, found->second, next.sequence, judge(*probe), sink);
  }
}

std::optional<std::int64_t> UdProber::deadline_ns() const {
  return expiries_.empty() ? std::nullopt : std::optional(expiries_.front().at_ns);
}

std::size_t UdProber::open_probes(std::uint32_t target) const {
  const auto found = targets_.find(target);
  return found == targets_.end() ? 0 : found->second.open.size();
}

void UdProber::abandon(const std::string& why, const Sink& sink) {
  std::vector<ProbeOutcome> outcomes;
  for (auto& [target, state] : targets_) {
    for (const OpenProbe& probe : state.open) {
      ProbeOutcome outcome;
      outcome.kind = ProbeOutcome::Kind::NotSent;
      outcome.target = target;
      outcome.path = probe.path;
      outcome.size = probe.size;
      outcome.posted_ns = probe.posted_ns;
      outcome.why = why;
      outcomes.push_back(std::move(outcome));
    }
    state.open.clear();
  }
  expiries_.clear();
  for (const ProbeOutcome& outcome : outcomes) sink(outcome);
}

}  // namespace roceready::probes

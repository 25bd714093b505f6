// SPDX-License-Identifier: Apache-2.0
#include "probes/ud_responder.h"

#include <algorithm>

namespace roceready::probes {
namespace {

constexpr std::size_t kBatch = 32;
constexpr std::uint64_t kPlainReply = 0;  // id of a send whose completion nobody waits for

}  // namespace

UdResponder::UdResponder(verbs::Ud& ud, const verbs::Verbs& clock, std::uint64_t probes_per_second, Budget* budget)
    : ud_(ud), clock_(clock), gap_(clock), all_(probes_per_second, probes_per_second / 4 + 1), budget_(budget) {}

UdResponder::Counts& UdResponder::Counts::operator+=(const Counts& other) {
  for (std::size_t i = 0; i < refused.size(); ++i) refused[i] += other.refused[i];
  answered += other.answered;
  over_rate += other.over_rate;
  not_sent += other.not_sent;
  return *this;
}

void UdResponder::open(std::uint64_t session, const UdClient& client) {
  sessions_.erase(session);
  sessions_.emplace(session, Session(client));
}

void UdResponder::close(std::uint64_t session) {
  sessions_.erase(session);
}

void UdResponder::set_digest(std::uint64_t digest) {
  for (auto& [id, session] : sessions_) session.client.digest = digest;
}

std::int64_t UdResponder::least_encoding_ns() const {
  if (encoded_ < encoding_ns_.size()) return 0;
  return std::max<std::int64_t>(*std::min_element(encoding_ns_.begin(), encoding_ns_.end()), 0);
}

std::int64_t UdResponder::last_heard_ns(std::uint64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second.last_heard_ns;
}

Result<std::size_t> UdResponder::step(std::int64_t late_ns) {
  std::array<verbs::Completion, kBatch> batch;
  std::size_t messages = 0;
  for (int rounds = 0; rounds < 128; ++rounds) {
    const auto count = ud_.poll(batch);
    if (!count) return count.error();
    const std::int64_t now_ns = clock_.now_ns();
    late_ns = std::max(late_ns, gap_.late_ns(now_ns));
    for (const verbs::Completion& completion : std::span(batch).first(*count)) {
      if (completion.operation == verbs::Operation::Receive && completion.status == verbs::Status::Success)
        received(completion, now_ns, late_ns), ++messages;
      else
        departed(completion);
    }
    if (*count < kBatch) break;
  }
  return messages;
}

void UdResponder::received(const verbs::Completion& completion, std::int64_t now_ns, std::int64_t late_ns) {
  const auto claim = claimed_session(completion.payload);
  if (const Refusal* refusal = std::get_if<Refusal>(&claim)) return refuse(*refusal);
  const std::uint64_t id = std::get<std::uint64_t>(claim);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return refuse(Refusal::UnknownSession);
  Session& session = found->second;
  const auto decoded = decode(completion.payload, session.client.key);
  if (const Refusal* refusal = std::get_if<Refusal>(&decoded)) return refuse(*refusal);
  const Message& probe = std::get<Message>(decoded);
  if (probe.type != MessageType::Probe) return refuse(Refusal::NotAsked);
  if (!session.window.take(probe.sequence)) return refuse(Refusal::Replayed);
  session.last_heard_ns = now_ns;
  ++session.arrived;
  const Grh grh = read_grh(completion.grh);
  ++(grh.believed() ? arrived_.by_dscp[grh.dscp] : arrived_.unseen);
  if (!session.rate.take(1, now_ns) || !affordable(session.client, probe.size, now_ns)) {
    ++counts_.over_rate;
    return;
  }
  answer(id, session, probe, grh, completion, now_ns - std::max<std::int64_t>(late_ns, 0), late_ns > kLateNs);
}

bool UdResponder::affordable(const UdClient& client, std::uint32_t probe_bytes, std::int64_t now_ns) {
  const std::uint64_t messages = client.one_reply ? 1 : 2;
  const std::size_t bytes = probe_bytes + (client.one_reply ? 0 : kHeaderBytes);
  if (client.on_demand)
    return probe_bytes <= client.largest && all_.take(1, now_ns) &&
           (budget_ == nullptr || budget_->answer_on_demand(messages, bytes, now_ns));
  if (budget_ != nullptr) budget_->answer(messages, bytes, now_ns);
  return true;
}

void UdResponder::answer(std::uint64_t id, Session& session, const Message& probe, const Grh& grh,
                         const verbs::Completion& completion, std::int64_t received_ns, bool late) {
  Message first = reply_to(probe, MessageType::FirstReply, session.client.digest);
  first.arrived = session.arrived;
  first.header_believed = grh.believed();
  if (grh.believed()) first.dscp_seen = grh.dscp, first.ecn_seen = grh.ecn, first.ttl_seen = grh.ttl;
  if (session.client.one_reply) {
    first.type = MessageType::SecondReply;
    first.host_late = late;
    const std::int64_t delay_ns = clock_.now_ns() - received_ns + least_encoding_ns();
    first.responder_delay_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(delay_ns, 0));
    std::int64_t posted_ns = 0;
    ++(this->send(session, first, kPlainReply, &posted_ns) ? counts_.answered : counts_.not_sent);
    return;
  }
  Message second = first;
  second.type = MessageType::SecondReply;
  second.size = kHeaderBytes;
  const bool by_nic = ud_.nic_clock() && completion.nic_ns.has_value();
  const std::uint64_t send = by_nic ? next_send_++ : kPlainReply;
  std::int64_t posted_ns = 0;
  if (!this->send(session, first, send, &posted_ns)) {
    ++counts_.not_sent;
    return;
  }
  ++counts_.answered;
  if (by_nic) {
    second.nic_clock = true;
    waiting_[send] = Waiting{id, second, *completion.nic_ns};
    return;
  }
  second.host_late = late;
  second.responder_delay_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(posted_ns - received_ns, 0));
  if (!this->send(session, second, kPlainReply, &posted_ns)) ++counts_.not_sent;
}

void UdResponder::departed(const verbs::Completion& completion) {
  const auto found = waiting_.find(completion.id);
  if (found == waiting_.end()) return;
  Waiting waiting = found->second;
  waiting_.erase(found);
  const auto session = sessions_.find(waiting.session);
  if (completion.status != verbs::Status::Success || !completion.nic_ns || session == sessions_.end()) return;
  const std::int64_t delay_ns = *completion.nic_ns - waiting.received_nic_ns;
  if (delay_ns < 0) return;  // the prober sees an answer without times
  waiting.second.responder_delay_ns = static_cast<std::uint64_t>(delay_ns);
  std::int64_t posted_ns = 0;
  if (!send(session->second, waiting.second, kPlainReply, &posted_ns)) ++counts_.not_sent;
}

Result<void> UdResponder::send(const Session& session, const Message& message, std::uint64_t id,
                               std::int64_t* posted_ns) {
  std::array<std::byte, kLargestMessage> bytes;
  const std::int64_t begin_ns = clock_.now_ns();
  const std::size_t length = encode(message, session.client.key, bytes);
  if (length == 0) return Error{ErrorCode::Usage, "a reply that cannot be encoded", "responder", 0};
  const UdClient& client = session.client;
  verbs::UdSend what;
  what.payload = std::span(bytes).first(length);
  what.queue_pair = message.path % ud_.queue_pairs();  // the way back differs by path too
  what.to = client.addresses[message.path % client.addresses.size()];
  what.to_queue_pair = client.queue_pairs[message.path % client.queue_pairs.size()];
  what.to_qkey = client.qkey;
  what.id = id;
  *posted_ns = clock_.now_ns();
  encoding_ns_[encoded_++ % encoding_ns_.size()] = *posted_ns - begin_ns;
  return ud_.send(what);
}

}  // namespace roceready::probes

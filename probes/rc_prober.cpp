// SPDX-License-Identifier: Apache-2.0
#include "probes/rc_prober.h"

#include <algorithm>
#include <array>

#include "probes/verbs/status.h"

namespace roceready::probes {
namespace {

constexpr std::size_t kBatch = 32;

}  // namespace

verbs::Operation operation_of(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::RcRead:
      return verbs::Operation::RcRead;
    case ProbeKind::RcSend:
      return verbs::Operation::RcSend;
    default:
      return verbs::Operation::RcWrite;
  }
}

Result<void> connect_all(verbs::Rc& rc, const verbs::Address& to, const Endpoint& peer, std::uint32_t own_mtu,
                         const std::vector<std::uint32_t>& flow_labels) {
  if (peer.queue_pairs.size() < rc.queue_pairs())
    return Error{ErrorCode::Malformed, "the peer has fewer queue pairs than there are paths", peer.device, 0};
  for (std::size_t i = 0; i < rc.queue_pairs(); ++i) {
    verbs::RcPeer end;
    end.address = to;
    end.address.flow_label = flow_labels.empty() ? 0 : flow_labels[i % flow_labels.size()];
    end.queue_pair = peer.queue_pairs[i].number;
    end.first_packet = peer.queue_pairs[i].psn;
    end.mtu_bytes = std::min(own_mtu, peer.mtu);
    if (peer.scratch) end.buffer = peer.scratch->address, end.buffer_key = peer.scratch->rkey;
    if (auto connected = rc.connect(i, end); !connected) return connected;
  }
  return {};
}

RcProber::RcProber(verbs::Rc& rc, const verbs::Verbs& clock, ProbeKind kind, std::uint32_t target,
                   std::int64_t timeout_ns)
    : rc_(rc),
      clock_(clock),
      operation_(operation_of(kind)),
      target_(target),
      timeout_ns_(timeout_ns),
      gap_(clock),
      paths_(rc.queue_pairs()) {}

bool RcProber::all_dead() const {
  return std::all_of(paths_.begin(), paths_.end(), [](const Path& path) { return path.dead; });
}

Result<void> RcProber::probe(std::uint32_t path, std::uint32_t bytes) {
  Path& state = paths_.at(path);
  if (state.dead) return Error{ErrorCode::Io, "the connection has failed", "path " + std::to_string(path), 0};
  if (state.open) return Error{ErrorCode::Changed, "a request is under way", "path " + std::to_string(path), 0};
  state.size = bytes;
  state.id = next_id_++;
  if (std::none_of(paths_.begin(), paths_.end(), [](const Path& other) { return other.open; }))
    gap_.begin(clock_.now_ns());
  state.posted_ns = clock_.now_ns();
  if (auto posted = rc_.post(path, operation_, bytes, state.id); !posted) return posted;
  state.open = true;
  return {};
}

Result<bool> RcProber::step(std::int64_t late_ns, const Sink& sink) {
  std::array<verbs::Completion, kBatch> batch;
  const auto count = rc_.poll(batch);
  if (!count) return count.error();
  const std::int64_t now_ns = clock_.now_ns();
  late_ns = std::max(late_ns, gap_.late_ns(now_ns));
  for (const verbs::Completion& completion : std::span(batch).first(*count))
    if (completion.operation != verbs::Operation::Receive) completed(completion, now_ns, late_ns > kLateNs, sink);
  for (std::uint32_t path = 0; path < paths_.size(); ++path)
    if (paths_[path].open && paths_[path].posted_ns + timeout_ns_ <= now_ns)
      fail(path, ProbeOutcome::Kind::Lost,
           "no completion within " + std::to_string(timeout_ns_ / 1'000'000) +
               " ms: the path is dead, or the NIC retries for longer than this",
           sink);
  return *count > 0;
}

void RcProber::completed(const verbs::Completion& completion, std::int64_t now_ns, bool late, const Sink& sink) {
  const auto place = std::find_if(paths_.begin(), paths_.end(),
                                  [&](const Path& path) { return path.open && path.id == completion.id; });
  if (place == paths_.end()) return;
  const auto path = static_cast<std::uint32_t>(place - paths_.begin());
  if (completion.status != verbs::Status::Success) {
    const bool ours = verbs::says_nothing_of_the_path(completion.status);
    return fail(path, ours ? ProbeOutcome::Kind::NotSent : ProbeOutcome::Kind::Lost,
                verbs::name_of(completion.status) + ": " + verbs::explain(completion.status), sink,
                completion.status == verbs::Status::RnrRetryExceeded);
  }
  ProbeOutcome outcome;
  outcome.target = target_;
  outcome.path = path;
  outcome.size = place->size;
  outcome.posted_ns = place->posted_ns;
  outcome.late = late;
  ProbeStamps stamps;
  stamps.posted_ns = place->posted_ns;
  stamps.polled_ns = now_ns;
  const auto timing = timing_of(stamps);
  place->open = false;
  if (const Impossible* impossible = std::get_if<Impossible>(&timing)) {
    outcome.kind = ProbeOutcome::Kind::Untimed;
    outcome.why = std::string("impossible times: ") + name_of(*impossible);
  } else {
    outcome.kind = ProbeOutcome::Kind::Answered;
    outcome.timing = std::get<ProbeTiming>(timing);
  }
  sink(outcome);
}

void RcProber::fail(std::uint32_t path, ProbeOutcome::Kind kind, std::string why, const Sink& sink,
                    bool host_not_ready) {
  Path& state = paths_[path];
  state.open = false;
  state.dead = true;
  ProbeOutcome outcome;
  outcome.kind = kind;
  outcome.target = target_;
  outcome.path = path;
  outcome.size = state.size;
  outcome.posted_ns = state.posted_ns;
  outcome.why = std::move(why);
  outcome.host_not_ready = host_not_ready;
  sink(outcome);
}

void RcProber::abandon(const std::string& why, const Sink& sink) {
  for (std::uint32_t path = 0; path < paths_.size(); ++path)
    if (paths_[path].open) fail(path, ProbeOutcome::Kind::NotSent, why, sink);
}

std::optional<std::int64_t> RcProber::deadline_ns() const {
  std::optional<std::int64_t> out;
  for (const Path& path : paths_)
    if (path.open && (!out || path.posted_ns + timeout_ns_ < *out)) out = path.posted_ns + timeout_ns_;
  return out;
}

}  // namespace roceready::probes

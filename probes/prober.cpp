// SPDX-License-Identifier: Apache-2.0
#include "probes/prober.h"

#include <algorithm>
#include <array>

#include "probes/ud_prober.h"

namespace roceready::probes {
namespace {

constexpr std::uint32_t kTarget = 1, kMostCount = 1'000'000, kMostPaths = 16;
constexpr int kExchangeMs = 3000;
constexpr std::uint32_t kGiveUpAfter = 5;           // losses in a row on a path
constexpr std::int64_t kOthersAfterNs = 5'000'000;  // a probe without answer so long holds up its own path only
constexpr std::int64_t kEventsNs = 1'000'000;
constexpr std::uint32_t kSweepTries = 3;
constexpr std::uint32_t kSlots = 64;

const std::array<std::uint32_t, 5> kSweepSizes{256, 512, 1024, 2048, 4096};

Error usage(std::string what) {
  return Error{ErrorCode::Usage, std::move(what), "probe", 0};
}

/// Nobody answered, which is something else than a refusal or a fault of our own.
bool is_silence(const Error& error) {
  return error.code == ErrorCode::TimedOut || error.code == ErrorCode::NotFound || error.code == ErrorCode::Io;
}

}  // namespace

/// Goes in reverse: engines, addresses, queue pairs, port.
struct ProbeRun::Ends {
  ProbePort port;
  std::unique_ptr<verbs::Ud> ud;
  std::unique_ptr<verbs::Rc> rc;
  AddressSet addresses;
  std::unique_ptr<UdProber> ud_prober;
  std::unique_ptr<RcProber> rc_prober;
};

ProbeRun::ProbeRun(verbs::Verbs& verbs, PeerChannel& channel, const PeerAddress& peer, const ProbePlan& plan)
    : verbs_(verbs), plan_(plan), built_(std::clamp(plan.paths, 1U, kMostPaths)) {
  result_.peer = peer.text();
  result_.kind = plan_.kind;
  result_.dscp_sent = plan_.dscp;
  result_.ecn_sent = 2;  // ECT(0)
  begin(channel, peer);
}

ProbeRun::~ProbeRun() = default;

void ProbeRun::fail(const Error& error) {
  result_.error = error.text();
  result_.cut_short = true;
  over_ = true;
}

Result<void> ProbeRun::check_plan() const {
  if (plan_.count < 1 || plan_.count > kMostCount) return usage("the count is 1 to 1000000");
  if (plan_.paths < 1 || plan_.paths > kMostPaths) return usage("1 to 16 paths");
  if (plan_.dscp > 63) return usage("a DSCP is 0 to 63");
  if (plan_.service_level > 7) return usage("a priority is 0 to 7");
  if (plan_.timeout_ns < kLeastTimeoutNs || plan_.timeout_ns > kMostTimeoutNs)
    return usage("the timeout is 10 ms to 10 s");
  if (plan_.kind == ProbeKind::Bandwidth) return usage("bandwidth is no kind of single probes");
  if (plan_.mtu_sweep && plan_.kind != ProbeKind::Ud) return usage("the MTU sweep is for probes of kind ud");
  const bool fits = plan_.kind == ProbeKind::Ud       ? plan_.size >= kHeaderBytes && plan_.size <= kLargestMessage
                    : plan_.kind == ProbeKind::RcSend ? plan_.size >= 1 && plan_.size <= kRcSendBytes
                                                      : plan_.size >= 1 && plan_.size <= kRcBytes;
  if (!fits)
    return usage("the size is 64 to 4096 bytes for ud, 1 to 64 for rc-send, 1 to 65536 for rc-write and rc-read");
  return {};
}

void ProbeRun::begin(PeerChannel& channel, const PeerAddress& peer) {
  if (auto fine = check_plan(); !fine) return fail(fine.error());
  auto port = port_towards(verbs_, plan_.device, plan_.port, plan_.may_use, peer.host);
  if (!port) return fail(port.error());
  ends_ = std::make_unique<Ends>();
  ends_->port = std::move(*port);
  result_.device = ends_->port.port->name().device;
  result_.port = ends_->port.port->name().port;
  under_way_.assign(plan_.paths, false);
  const auto begun = plan_.kind == ProbeKind::Ud ? begin_ud(channel, peer) : begin_rc(channel, peer);
  if (!begun) fail(begun.error());
}

SessionRequest ProbeRun::request() const {
  SessionRequest out;
  out.nonce = random_nonce();
  out.node = plan_.labels.node;
  out.kind = plan_.kind;
  out.on_demand = true;
  // Slow answers and a few losses do not outlast the session.
  const auto losses = static_cast<std::uint32_t>(plan_.timeout_ns * kGiveUpAfter / 1'000'000'000);
  out.seconds = std::clamp(plan_.count / 20 + 20 + losses, 20U, 3600U);
  out.traffic_class = static_cast<std::uint8_t>(plan_.dscp << 2 | 2);
  out.endpoint = endpoint_of(ends_->port, plan_.labels);
  if (plan_.kind == ProbeKind::Ud) out.largest = plan_.mtu_sweep ? out.endpoint.mtu : plan_.size;
  return out;
}

Result<SessionAnswer> ProbeRun::exchange(PeerChannel& channel, const PeerAddress& peer, SessionRequest& asked) {
  const auto body = channel.post_session(peer, encode_request(asked, plan_.secret), kExchangeMs);
  if (!body) {
    result_.peer_not_reached = is_silence(body.error());
    return body.error().during("asking " + peer.text() + " for a session");
  }
  auto answer = decode_answer(*body, plan_.secret, asked);
  if (!answer) return answer.error().during("the answer of " + peer.text());
  if (verbs::is_ipv4(answer->endpoints.front().gid) != verbs::is_ipv4(asked.endpoint.gid))
    return Error{ErrorCode::Malformed, "the peer answers with another address family", peer.text(), 0};
  session_ends_ns_ = verbs_.now_ns() + static_cast<std::int64_t>(answer->seconds) * 1'000'000'000;
  gap_ns_ = static_cast<std::int64_t>(1e9 / std::max(answer->probes_per_second, 0.1));
  return answer;
}

void ProbeRun::describe(const SessionAnswer& answer) {
  const Endpoint& end = answer.endpoints.front();
  result_.peer_device = end.device;
  result_.peer_port = end.port;
  result_.peer_address = verbs::address_text(end.gid);
  result_.authenticated = answer.authenticated;
  result_.paths.resize(plan_.paths);
  for (std::uint32_t path = 0; path < plan_.paths; ++path) {
    ProbePath& out = result_.paths[path];
    out.path = path;
    out.flow_label = ends_->port.facts.flow_label_sets_path ? flow_label_of_path(path) : 0;
    out.source_qp = ends_->ud ? ends_->ud->number(path) : ends_->rc->number(path);
    out.udp_source_port = ends_->ud ? ends_->ud->udp_source_port(path, out.flow_label)
                                    : Absent{Why::NotSupported, "not known for connections"};
  }
}

Result<void> ProbeRun::begin_ud(PeerChannel& channel, const PeerAddress& peer) {
  const std::uint32_t own_mtu = ends_->port.facts.active_mtu_bytes;
  if (plan_.size > own_mtu)
    return usage("a payload of " + std::to_string(plan_.size) + " bytes is above this port's MTU of " +
                 std::to_string(own_mtu));
  verbs::UdOptions wanted;
  wanted.queue_pairs = plan_.paths;
  wanted.receive_slots = wanted.send_slots = kSlots;
  wanted.payload_bytes = own_mtu;
  wanted.qkey = random_qkey();
  auto ud = ends_->port.port->make_ud(wanted);
  if (!ud) return ud.error();
  ends_->ud = std::move(*ud);
  SessionRequest asked = request();
  asked.endpoint.qkey = ends_->ud->qkey();
  for (std::size_t i = 0; i < plan_.paths; ++i) asked.endpoint.queue_pairs.push_back({ends_->ud->number(i), 0});
  const auto answer = exchange(channel, peer, asked);
  if (!answer) return answer.error();
  const Endpoint& end = answer->endpoints.front();
  if (plan_.size > end.mtu)
    return usage("a payload of " + std::to_string(plan_.size) + " bytes is above the peer's MTU of " +
                 std::to_string(end.mtu));
  auto addresses =
      AddressSet::create(*ends_->ud, ends_->port, end.gid, asked.traffic_class, plan_.service_level, plan_.paths);
  if (!addresses) {
    result_.peer_not_reached = is_silence(addresses.error());
    return addresses.error();
  }
  ends_->addresses = std::move(*addresses);
  UdTarget target;
  target.session = answer->session;
  target.key = session_key(plan_.secret, asked.nonce, answer->nonce, answer->session);
  target.addresses = ends_->addresses.handles();
  for (const QueuePair& pair : end.queue_pairs) target.peer_queue_pairs.push_back(pair.number);
  target.peer_qkey = end.qkey;
  target.traffic_class = asked.traffic_class;
  target.one_reply = !answer->authenticated;
  ends_->ud_prober = std::make_unique<UdProber>(*ends_->ud, verbs_, plan_.timeout_ns);
  ends_->ud_prober->open(kTarget, target);
  describe(*answer);
  if (plan_.mtu_sweep) {
    result_.mtu = MtuSweep{own_mtu, end.mtu, {}};
    for (const std::uint32_t size : kSweepSizes)
      if (size <= std::min(own_mtu, end.mtu)) result_.mtu->steps.push_back({size, 0, 0});
  }
  return {};
}

Result<void> ProbeRun::begin_rc(PeerChannel& channel, const PeerAddress& peer) {
  verbs::RcOptions wanted;
  wanted.queue_pairs = plan_.paths;
  wanted.buffer_bytes = std::max(plan_.size, 64U);
  auto rc = ends_->port.port->make_rc(wanted);
  if (!rc) return rc.error();
  ends_->rc = std::move(*rc);
  SessionRequest asked = request();
  for (std::size_t i = 0; i < plan_.paths; ++i)
    asked.endpoint.queue_pairs.push_back({ends_->rc->number(i), ends_->rc->first_packet(i)});
  const auto answer = exchange(channel, peer, asked);
  if (!answer) return answer.error();
  const Endpoint& end = answer->endpoints.front();
  if (plan_.kind != ProbeKind::RcSend && (!end.scratch || end.scratch->bytes < plan_.size))
    return Error{ErrorCode::NotSupported, "the peer offers no buffer of that size", peer.text(), 0};
  verbs::Address to;
  to.gid = end.gid;
  to.own_gid_index = ends_->port.gid.index;
  to.traffic_class = asked.traffic_class;
  to.service_level = plan_.service_level;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t path = 0; path < plan_.paths; ++path) labels.push_back(flow_label_of_path(path));
  if (auto connected = connect_all(*ends_->rc, to, end, ends_->port.facts.active_mtu_bytes, labels); !connected) {
    result_.peer_not_reached = is_silence(connected.error());
    return connected;
  }
  ends_->rc_prober = std::make_unique<RcProber>(*ends_->rc, verbs_, plan_.kind, kTarget, plan_.timeout_ns);
  describe(*answer);
  for (std::uint32_t path = 0; path < plan_.paths; ++path) result_.paths[path].flow_label = labels[path];
  return {};
}

void ProbeRun::conclude(const ProbeOutcome& outcome) {
  const bool late = outcome.kind == ProbeOutcome::Kind::AnsweredLate;  // it was concluded before
  if (!late) {
    --open_;
    under_way_[outcome.path] = false;
  }
  // Late answers to either come at any time, so that only when a probe was sent tells what it was for.
  if (sweep_began_ns_ != 0 && outcome.posted_ns >= sweep_began_ns_) return conclude_sweep(outcome);
  return late ? built_.add_late(outcome) : built_.add(outcome);
}

/// Which sizes pass is asked for, not how fast: one that is answered after the timeout does.
void ProbeRun::conclude_sweep(const ProbeOutcome& outcome) {
  using Kind = ProbeOutcome::Kind;
  const auto step = std::ranges::find(result_.mtu->steps, outcome.size, &MtuStep::payload_bytes);
  if (step == result_.mtu->steps.end() || outcome.kind == Kind::NotSent) return;
  if (outcome.kind == Kind::AnsweredLate) {
    step->lost -= step->lost > 0 ? 1 : 0;
    return;
  }
  ++step->sent;
  step->lost += outcome.kind == Kind::Lost ? 1 : 0;
}

std::optional<std::uint32_t> ProbeRun::next_path() const {
  for (std::uint32_t i = 0; i < plan_.paths; ++i) {
    const std::uint32_t path = (next_path_ + i) % plan_.paths;
    const bool dead = ends_->rc_prober ? ends_->rc_prober->dead(path) : built_.lost_in_row(path) >= kGiveUpAfter;
    if (!dead && !under_way_[path]) return path;
  }
  return std::nullopt;
}

void ProbeRun::send(std::uint32_t path, std::uint32_t size, std::int64_t now_ns) {
  const auto sent =
      ends_->rc_prober ? ends_->rc_prober->probe(path, size) : ends_->ud_prober->probe(kTarget, path, size, 0);
  last_sent_ns_ = now_ns;
  ++open_;
  under_way_[path] = true;
  if (sent) return;
  ProbeOutcome outcome;
  outcome.kind = ProbeOutcome::Kind::NotSent;
  outcome.path = path;
  outcome.size = size;
  outcome.posted_ns = now_ns;
  outcome.why = sent.error().text();
  conclude(outcome);
}

void ProbeRun::send_next(std::int64_t now_ns) {
  if (last_sent_ns_ != 0 && now_ns - last_sent_ns_ < std::max(gap_ns_, open_ > 0 ? kOthersAfterNs : 0)) return;
  if (started_ < plan_.count) {
    if (const auto path = next_path()) {
      ++started_;
      next_path_ = (*path + 1) % plan_.paths;
      return send(*path, plan_.size, now_ns);
    }
    if (open_ > 0) return;
    started_ = plan_.count;  // every path is given up
  }
  if (open_ > 0) return;
  const std::size_t steps = result_.mtu ? result_.mtu->steps.size() : 0;
  if (sweep_sent_ >= steps * kSweepTries) {
    over_ = true;
    return;
  }
  started_ = plan_.count + 1;
  if (sweep_began_ns_ == 0) sweep_began_ns_ = now_ns;
  send(0, result_.mtu->steps[sweep_sent_++ / kSweepTries].payload_bytes, now_ns);
}

void ProbeRun::watch_events(std::int64_t now_ns) {
  if (now_ns - events_seen_ns_ < kEventsNs) return;  // each look is a system call
  events_seen_ns_ = now_ns;
  for (const verbs::Event& event : ends_->port.port->events()) {
    if (!event.is_about(ends_->port.port->name())) continue;
    if (event.kind == verbs::EventKind::DeviceFatal)
      return fail(Error{ErrorCode::Io, "the device failed or was removed while probing (" + event.name + ")",
                        result_.device, 0});
    if (event.kind == verbs::EventKind::PortError)
      return fail(Error{ErrorCode::Io, "the port went down while probing (" + event.name + ")", result_.device, 0});
  }
}

bool ProbeRun::step(std::int64_t late_ns) {
  if (over_) return false;
  watch_events(verbs_.now_ns());
  if (over_) return false;
  const auto sink = [this](const ProbeOutcome& outcome) { conclude(outcome); };
  const auto stepped = ends_->rc_prober ? ends_->rc_prober->step(late_ns, sink) : ends_->ud_prober->step(late_ns, sink);
  if (!stepped) {
    fail(stepped.error().during("while probing"));
    return false;
  }
  const std::int64_t now_ns = verbs_.now_ns();
  // What is sent at the very end would be lost for the peer's having closed the session.
  if (now_ns < session_ends_ns_ - plan_.timeout_ns) {
    send_next(now_ns);
  } else if (open_ == 0) {
    fail(Error{ErrorCode::TimedOut, "the time that the peer granted is over", result_.peer, 0});
  }
  return !over_;
}

ProbeResult ProbeRun::result() const {
  ProbeResult out = result_;
  built_.fill(out);
  if (!out.error && out.sent > 0 && !out.reachable) out.error = "no answer: every probe was lost";
  return out;
}

ProbeRun::Progress ProbeRun::progress() const {
  const std::uint64_t sweep = result_.mtu ? result_.mtu->steps.size() * kSweepTries : 0;
  return {std::min(started_, plan_.count) + sweep_sent_ - std::min<std::uint64_t>(open_, started_), plan_.count + sweep,
          built_.lost()};
}

ProbeResult probe_on_demand(verbs::Verbs& verbs, PeerChannel& channel, const PeerAddress& peer, const ProbePlan& plan,
                            const std::stop_token& stop,
                            const std::function<void(const ProbeRun::Progress&)>& progress) {
  constexpr std::int64_t kTellNs = 100'000'000;
  ProbeRun run(verbs, channel, peer, plan);
  std::int64_t told_ns = 0;
  while (!stop.stop_requested() && run.step(0)) {
    const std::int64_t now_ns = verbs.now_ns();
    if (progress && now_ns - told_ns >= kTellNs) {
      told_ns = now_ns;
      progress(run.progress());
    }
  }
  if (progress) progress(run.progress());
  return run.result();
}

}  // namespace roceready::probes

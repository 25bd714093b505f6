// SPDX-License-Identifier: Apache-2.0
#include "probes/bandwidth.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "probes/bandwidth_writer.h"
#include "probes/rc_prober.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kLeastDurationNs = 100'000'000;
constexpr std::int64_t kEventsNs = 1'000'000;  // each look is a system call
constexpr std::int64_t kSpareNs = kSecond;     // of the session, to see the last writes through
constexpr int kExchangeMs = 3000;
constexpr std::uint32_t kMostPairs = 16, kMostRequests = 16, kMostInFlight = 1 << 20;

Error usage(std::string what) {
  return Error{ErrorCode::Usage, std::move(what), "bandwidth", 0};
}

/// Nobody answered, which is something else than a refusal or a fault of our own.
bool is_silence(const Error& error) {
  return error.code == ErrorCode::TimedOut || error.code == ErrorCode::NotFound || error.code == ErrorCode::Io;
}

std::uint32_t requests_for(std::uint32_t message_bytes) {
  return std::clamp(kMostInFlight / message_bytes, 2U, kMostRequests);
}

}  // namespace

/// Goes in reverse: writer, connections, port.
struct BandwidthMeasurement::Ends {
  ProbePort port;
  std::unique_ptr<verbs::Rc> target;  // of a loopback: the end that is written to
  std::unique_ptr<verbs::Rc> rc;
  std::unique_ptr<BandwidthWriter> writer;
};

BandwidthMeasurement::BandwidthMeasurement(verbs::Verbs& verbs, PeerChannel& channel, const PeerAddress& peer,
                                           const BandwidthPlan& plan)
    : verbs_(verbs), plan_(plan) {
  result_.run.peer = peer.text();
  if (auto begun = begin(channel, peer); !begun) fail(begun.error());
}

BandwidthMeasurement::BandwidthMeasurement(verbs::Verbs& verbs, const BandwidthPlan& plan)
    : verbs_(verbs), plan_(plan) {
  result_.run.loopback = true;
  if (auto begun = begin_loopback(); !begun) fail(begun.error());
}

BandwidthMeasurement::~BandwidthMeasurement() = default;

void BandwidthMeasurement::fail(const Error& error) {
  result_.error = error.text();
  count();
  result_.run.bits_per_second = Absent{Why::NotPresent, *result_.error};
  over_ = true;
}

Result<void> BandwidthMeasurement::check_plan() const {
  if (plan_.message_bytes < kLeastBandwidthBytes || plan_.message_bytes > kMostBandwidthBytes)
    return usage("messages have 65536 to 1048576 bytes");
  if (plan_.queue_pairs < kLeastBandwidthPairs || plan_.queue_pairs > kMostPairs)
    return usage("4 to 16 connections; fewer do not fill the line");
  if (plan_.duration_ns < kLeastDurationNs || plan_.duration_ns > kMostBandwidthSeconds * kSecond)
    return usage("the time is 100 ms to 10 s");
  if (plan_.dscp > 63) return usage("a DSCP is 0 to 63");
  if (plan_.service_level > 7) return usage("a priority is 0 to 7");
  if (!result_.run.loopback && plan_.secret.empty())
    return usage(
        "a measurement of bandwidth fills the line, so the peer grants it only to who knows its secret: --secret-file, "
        "or probes.secret_file on both nodes");
  return {};
}

Result<void> BandwidthMeasurement::open(const std::string& host) {
  if (auto fine = check_plan(); !fine) return fine;
  auto port = port_towards(verbs_, plan_.device, plan_.port, plan_.may_use, host);
  if (!port) return port.error();
  ends_ = std::make_unique<Ends>();
  ends_->port = std::move(*port);
  BandwidthRun& run = result_.run;
  run.device = ends_->port.port->name().device;
  run.port = ends_->port.port->name().port;
  run.message_bytes = plan_.message_bytes;
  run.queue_pairs = plan_.queue_pairs;
  run.mtu_bytes = ends_->port.facts.active_mtu_bytes;
  verbs::RcOptions wanted;
  wanted.queue_pairs = plan_.queue_pairs;
  wanted.buffer_bytes = plan_.message_bytes;
  wanted.requests = requests_for(plan_.message_bytes);
  wanted.patient = true;
  auto rc = ends_->port.port->make_rc(wanted);
  if (!rc) return rc.error();
  ends_->rc = std::move(*rc);
  return {};
}

verbs::Address BandwidthMeasurement::address_of(const verbs::Gid& gid) const {
  verbs::Address out;
  out.gid = gid;
  out.own_gid_index = ends_->port.gid.index;
  out.traffic_class = static_cast<std::uint8_t>(plan_.dscp << 2 | 2);  // ECT(0)
  out.service_level = plan_.service_level;
  return out;
}

Result<SessionAnswer> BandwidthMeasurement::exchange(PeerChannel& channel, const PeerAddress& peer) {
  SessionRequest asked;
  asked.nonce = random_nonce();
  asked.node = plan_.labels.node;
  asked.kind = ProbeKind::Bandwidth;
  asked.on_demand = true;
  asked.seconds = static_cast<std::uint32_t>(plan_.duration_ns / kSecond) + 4;
  asked.traffic_class = static_cast<std::uint8_t>(plan_.dscp << 2 | 2);
  asked.message_bytes = plan_.message_bytes;
  asked.endpoint = endpoint_of(ends_->port, plan_.labels);
  for (std::size_t i = 0; i < plan_.queue_pairs; ++i)
    asked.endpoint.queue_pairs.push_back({ends_->rc->number(i), ends_->rc->first_packet(i)});
  const auto body = channel.post_session(peer, encode_request(asked, plan_.secret), kExchangeMs);
  if (!body) {
    result_.peer_not_reached = is_silence(body.error());
    return body.error().during("asking " + peer.text() + " for a session");
  }
  auto answer = decode_answer(*body, plan_.secret, asked);
  if (!answer) return answer.error().during("the answer of " + peer.text());
  const Endpoint& end = answer->endpoints.front();
  if (verbs::is_ipv4(end.gid) != verbs::is_ipv4(asked.endpoint.gid))
    return Error{ErrorCode::Malformed, "the peer answers with another address family", peer.text(), 0};
  if (end.scratch->bytes < plan_.message_bytes)
    return Error{ErrorCode::NotSupported, "the peer offers no buffer of that size", peer.text(), 0};
  return answer;
}

void BandwidthMeasurement::describe(const SessionAnswer& answer) {
  const Endpoint& end = answer.endpoints.front();
  BandwidthRun& run = result_.run;
  run.peer_device = end.device;
  run.peer_port = end.port;
  run.address = verbs::address_text(end.gid);
  run.mtu_bytes = std::min(run.mtu_bytes, end.mtu);
  result_.authenticated = answer.authenticated;
  const Absent untold{Why::NotPresent, "the peer does not tell this of its port: no daemon that samples answers there"};
  run.peer_speed_bits_per_second = untold;
  run.peer_busy_share = untold;
  for (const PortDigest& port : answer.digest.ports) {
    if (port.device != end.device || port.port != end.port) continue;
    run.peer_speed_bits_per_second = port.speed_bits_per_second;
    run.peer_busy_share = port.rx_line_share;
  }
}

Result<void> BandwidthMeasurement::begin(PeerChannel& channel, const PeerAddress& peer) {
  if (auto opened = open(peer.host); !opened) return opened;
  const auto answer = exchange(channel, peer);
  if (!answer) return answer.error();
  describe(*answer);
  std::vector<std::uint32_t> labels;
  for (std::uint32_t path = 0; path < plan_.queue_pairs; ++path) labels.push_back(flow_label_of_path(path));
  const Endpoint& end = answer->endpoints.front();
  if (auto connected = connect_all(*ends_->rc, address_of(end.gid), end, ends_->port.facts.active_mtu_bytes, labels);
      !connected) {
    result_.peer_not_reached = is_silence(connected.error());
    return connected;
  }
  const std::int64_t granted_ns = static_cast<std::int64_t>(answer->seconds) * kSecond - kSpareNs;
  if (granted_ns < kLeastDurationNs)
    return Error{ErrorCode::NotSupported, "the peer grants too short a time", peer.text(), 0};
  start(std::min(plan_.duration_ns, granted_ns));
  return {};
}

Result<void> BandwidthMeasurement::begin_loopback() {
  if (auto opened = open(""); !opened) return opened;
  verbs::RcOptions wanted;
  wanted.queue_pairs = plan_.queue_pairs;
  wanted.buffer_bytes = plan_.message_bytes;
  wanted.remote_access = true;
  auto target = ends_->port.port->make_rc(wanted);
  if (!target) return target.error();
  ends_->target = std::move(*target);
  const auto end_of = [this](const verbs::Rc& rc) {
    Endpoint out = endpoint_of(ends_->port, plan_.labels);
    for (std::size_t i = 0; i < rc.queue_pairs(); ++i) out.queue_pairs.push_back({rc.number(i), rc.first_packet(i)});
    return out;
  };
  Endpoint there = end_of(*ends_->target);
  there.scratch = ScratchBuffer{ends_->target->buffer(), ends_->target->buffer_key(), plan_.message_bytes};
  const verbs::Address own = address_of(ends_->port.gid.gid);
  const std::uint32_t mtu = ends_->port.facts.active_mtu_bytes;
  if (auto connected = connect_all(*ends_->target, own, end_of(*ends_->rc), mtu, {}); !connected) return connected;
  if (auto connected = connect_all(*ends_->rc, own, there, mtu, {}); !connected) return connected;
  start(plan_.duration_ns);
  return {};
}

void BandwidthMeasurement::start(std::int64_t duration_ns) {
  duration_ns_ = duration_ns;
  begun_ns_ = verbs_.now_ns();
  ends_->writer = std::make_unique<BandwidthWriter>(
      *ends_->rc, verbs_,
      BandwidthWriter::Options{plan_.message_bytes, requests_for(plan_.message_bytes), duration_ns});
}

void BandwidthMeasurement::watch_events(std::int64_t now_ns) {
  if (now_ns - events_seen_ns_ < kEventsNs) return;
  events_seen_ns_ = now_ns;
  for (const verbs::Event& event : ends_->port.port->events()) {
    if (!event.is_about(ends_->port.port->name())) continue;
    if (event.kind == verbs::EventKind::DeviceFatal)
      return fail(Error{ErrorCode::Io, "the device failed or was removed while measuring (" + event.name + ")",
                        result_.run.device, 0});
    if (event.kind == verbs::EventKind::PortError)
      return fail(
          Error{ErrorCode::Io, "the port went down while measuring (" + event.name + ")", result_.run.device, 0});
  }
}

void BandwidthMeasurement::count() {
  if (ends_ == nullptr || ends_->writer == nullptr) return;
  const BandwidthWriter& writer = *ends_->writer;
  BandwidthRun& run = result_.run;
  result_.sent = writer.posted();
  result_.completed = writer.completed();
  run.bytes = writer.completed() * plan_.message_bytes;
  run.seconds = static_cast<double>(writer.elapsed_ns()) * 1e-9;
  run.waited_seconds = std::clamp(static_cast<double>(writer.waited_ns()) * 1e-9, 0.0, run.seconds);
}

bool BandwidthMeasurement::step() {
  if (over_) return false;
  watch_events(verbs_.now_ns());
  if (over_) return false;
  const auto stepped = ends_->writer->step();
  if (!stepped) {
    fail(stepped.error().during("while measuring bandwidth"));
    return false;
  }
  if (*stepped) return true;
  over_ = true;
  count();
  if (result_.run.bytes == 0 || result_.run.seconds <= 0)
    fail(Error{ErrorCode::Io, "no write completed", result_.run.device, 0});
  else
    result_.run.bits_per_second = static_cast<double>(result_.run.bytes) * 8 / result_.run.seconds;
  return false;
}

void BandwidthMeasurement::stop() {
  if (!over_) fail(Error{ErrorCode::Io, "stopped before its time", result_.run.device, 0});
}

double BandwidthMeasurement::progress() const {
  if (over_ || duration_ns_ <= 0) return 1;
  return std::clamp(static_cast<double>(verbs_.now_ns() - begun_ns_) / static_cast<double>(duration_ns_), 0.0, 1.0);
}

BandwidthResult run_to_end(BandwidthMeasurement& measurement, const verbs::Verbs& clock, const std::stop_token& stop,
                           const std::function<void(double)>& progress) {
  constexpr std::int64_t kTellNs = 100'000'000;
  std::int64_t told_ns = 0;
  while (measurement.step()) {
    if (stop.stop_requested()) measurement.stop();
    const std::int64_t now_ns = clock.now_ns();
    if (!progress || now_ns - told_ns < kTellNs) continue;
    told_ns = now_ns;
    progress(measurement.progress());
  }
  return measurement.result();
}

}  // namespace roceready::probes

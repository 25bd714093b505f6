// SPDX-License-Identifier: Apache-2.0
#include "probes/responder.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/text.h"
#include "probes/digest.h"
#include "probes/responder_session.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint32_t kStrangerSeconds = 60, kOnDemandSeconds = 600, kMeshSeconds = 3600;
// A session on demand that was heard within that time has its share; of the prober that asks again, an older one that
// is quiet for so long is over.
constexpr std::int64_t kInUseNs = 2 * kSecond, kOwnInUseNs = kSecond / 10;
constexpr std::int64_t kLookAfterNs = 5'000'000;  // between two looks at events
constexpr std::int64_t kSweepNs = kSecond / 10;   // and at all sessions
// Receives for sends. A mesh sends once a second at most: so many suffice when this thread gets no CPU for a while, and
// pin little.
constexpr std::uint32_t kReceives = 64, kMeshReceives = 16;
constexpr std::chrono::milliseconds kGlance{200};    // of a thread that only wants to know
constexpr std::uint32_t kStrangerRcBytes = 64;       // as many as a request for them has
constexpr std::uint32_t kBandwidthSpareSeconds = 5;  // to connect, and to see the last writes through
constexpr double kMeshRate = 40, kOnDemandRate = 50'000, kStrangerRate = 5'000;

std::uint32_t most_seconds(const SessionRequest& request) {
  if (request.kind == ProbeKind::Bandwidth) return kMostBandwidthSeconds + kBandwidthSpareSeconds;
  if (!request.on_demand) return kMeshSeconds;
  return request.authenticated ? kOnDemandSeconds : kStrangerSeconds;
}

double rate_of(const SessionRequest& request) {
  if (!request.on_demand) return kMeshRate;
  return request.authenticated ? kOnDemandRate : kStrangerRate;
}

std::uint32_t largest_of(const SessionRequest& request) {
  return request.largest != 0 ? request.largest : std::min(request.endpoint.mtu, std::uint32_t{kLargestMessage});
}

/// Of the answer to one probe.
struct AnswerCost {
  double messages = 0, bytes = 0;
};
AnswerCost answer_cost(std::uint32_t probe_bytes, bool authenticated) {
  return authenticated ? AnswerCost{2.0, static_cast<double>(probe_bytes + kHeaderBytes)}
                       : AnswerCost{1.0, static_cast<double>(probe_bytes)};
}

std::string not_the_address_that_asked(const SessionRequest& request, const std::string& remote) {
  return "without a shared secret replies go only to the address that asks: you ask from " +
         (remote.empty() ? std::string("an address that is not known") : clean_text(remote)) + " and probe from " +
         verbs::address_text(request.endpoint.gid) +
         "; set probes.secret_file on both nodes, or name this node by its address on that network";
}

}  // namespace

Responder::Responder(verbs::Verbs& verbs, ResponderOptions options)
    : verbs_(verbs),
      options_(std::move(options)),
      cm_(options_.manager == nullptr ? nullptr
                                      : std::make_unique<CmResponder>(*options_.manager, verbs, options_.budget.get())),
      service_level_(options_.service_level),
      mtus_(verbs) {}
Responder::~Responder() = default;

Responder::Entrance::Entrance(const Responder& responder, std::chrono::milliseconds patience) {
  constexpr int kYields = 200;  // a busy poller lets go within microseconds
  constexpr std::chrono::milliseconds kBetweenTries{1};
  ++responder.wanting_;
  held_ = std::unique_lock(responder.lock_, std::try_to_lock);
  for (int tries = 0; !held_ && tries < kYields && !responder.stuck_; ++tries) {
    std::this_thread::yield();
    (void)held_.try_lock();
  }
  for (auto waited = kBetweenTries; !held_ && waited <= patience && !responder.stuck_; waited += kBetweenTries) {
    std::this_thread::sleep_for(kBetweenTries);
    (void)held_.try_lock();
  }
  --responder.wanting_;
  responder.stuck_ = !held_;
}

SessionRefusal Responder::refuse(int http_status, std::string why) {
  ++denied_;
  return {http_status, std::move(why)};
}

std::size_t Responder::most_sessions() const {
  if (options_.most_sessions != 0) return options_.most_sessions;
  return std::clamp<std::size_t>(port_count_ * options_.expected_peers * 8, 8192, 65536);
}

std::size_t Responder::most_rc_sessions() const {
  if (options_.most_rc_sessions != 0) return options_.most_rc_sessions;
  constexpr std::size_t kEach = 3 * kConnectedAlike;  // writes, reads and sends of a mesh
  return std::clamp<std::size_t>(port_count_ * options_.expected_peers * kEach, 64 * kEach, 1024 * kEach);
}

std::optional<SessionRefusal> Responder::admit(const SessionRequest& request, const std::string& remote) {
  const auto denied = [this](int status, std::string why) { return refuse(status, std::move(why)); };
  const Entrance entrance(*this, kPatience);
  if (!entrance) return denied(503, held_up().text());
  if (request.kind == ProbeKind::Bandwidth)
    if (auto refused = refuse_bandwidth(request)) return refused;
  if (!request.authenticated && !request.on_demand)
    return denied(
        403,
        "the mesh needs a shared secret: set probes.secret_file on both nodes; without one only probes on demand "
        "are answered");
  if (!request.authenticated && verbs::parse_address(remote) != request.endpoint.gid)
    return denied(403, not_the_address_that_asked(request, remote));
  if (!request.authenticated && request.kind != ProbeKind::Ud && request.endpoint.queue_pairs.size() > 1)
    return denied(403, "without a shared secret a connection has one path: set probes.secret_file on both nodes");
  if (request.authenticated && !nonces_.take(request.nonce)) return denied(403, "this request was seen before");
  std::size_t connected = 0, strangers = 0, alike = 0;
  for (const auto& [id, session] : sessions_) {
    connected += session->rc != nullptr ? 1 : 0;
    strangers += session->authenticated ? 0 : 1;
    alike += session->like(request) ? 1 : 0;
  }
  if (!request.authenticated && (strangers >= options_.most_unauthenticated || !strangers_.take(1, verbs_.now_ns())))
    return denied(429, "too many sessions without authentication");
  if (sessions_.size() >= most_sessions()) return denied(503, "too many sessions");
  if (request.kind != ProbeKind::Ud && connected >= most_rc_sessions() && alike < kConnectedAlike)
    return denied(503, "too many connected sessions");
  return std::nullopt;
}

bool Responder::in_use(std::uint64_t id, const Session& session, const SessionRequest& by, std::int64_t now_ns) const {
  const std::int64_t heard_ns = session.serving->engine.last_heard_ns(id);
  if (heard_ns == 0) return now_ns - session.created_ns < kInUseNs;
  return now_ns - heard_ns < (session.like(by) ? kOwnInUseNs : kInUseNs);
}

/// Probes a second that a new session may send. What was granted is not taken back, so of what is left the n-th at a
/// time gets 1 / (n + 1): a half, a sixth, a twelfth … of all, and there is always something left.
Result<double> Responder::grant(const SessionRequest& request) const {
  const double most = rate_of(request);
  if (options_.budget == nullptr || !request.on_demand || request.kind != ProbeKind::Ud) return most;
  const BudgetLimits& limits = options_.budget->limits();
  double messages = static_cast<double>(limits.messages_per_second) / 2;
  double bytes = static_cast<double>(limits.bytes_per_second) / 2, share = 2;
  const Entrance entrance(*this, kPatience);
  if (!entrance) return held_up();
  const std::int64_t now_ns = verbs_.now_ns();
  for (const auto& [id, session] : sessions_) {
    if (!session->on_demand || session->kind != ProbeKind::Ud || !in_use(id, *session, request, now_ns)) continue;
    const AnswerCost cost = answer_cost(session->largest, session->authenticated);
    messages -= session->probes_per_second * cost.messages;
    bytes -= session->probes_per_second * cost.bytes;
    ++share;
  }
  const AnswerCost cost = answer_cost(largest_of(request), request.authenticated);
  return std::clamp(std::min(messages / cost.messages, bytes / cost.bytes) / share, 1.0, most);
}

std::variant<SessionReply, SessionRefusal> Responder::answer(std::string_view body, const std::string& remote) {
  const auto request = decode_request(body, options_.secret);
  if (!request) {
    const int status = request.error().code == ErrorCode::Denied ? 403 : 400;
    return refuse(status, request.error().text());
  }
  if (auto refused = admit(*request, remote)) return std::move(*refused);
  const DriverCalls::Turn turn = calls_.enter();
  if (!turn) return refuse(503, held_up().text());
  const auto serving = serving_for(*request);
  if (!serving) {  // who serves no probes by its configuration is not out of order
    const int status = serving.error().code == ErrorCode::NotSupported ? 404 : 503;
    return refuse(status, "no port of this node can answer: " + serving.error().text());
  }

  auto session = std::make_unique<Session>();
  session->serving = *serving;
  session->on_demand = request->on_demand;
  session->authenticated = request->authenticated;
  session->kind = request->kind;
  session->node = request->node;
  session->prober = request->endpoint;
  session->largest = largest_of(*request);
  if (request->authenticated && !request->on_demand && request->kind == ProbeKind::Ud)
    session->replaces = request->replaces;
  SessionAnswer answer;
  answer.request_nonce = request->nonce;
  answer.nonce = random_nonce();
  answer.session = random_session();
  answer.node = options_.labels.node;
  answer.seconds = std::clamp(request->seconds, 1U, most_seconds(*request));
  const auto granted = grant(*request);
  if (!granted) return refuse(503, granted.error().text());
  answer.probes_per_second = session->probes_per_second = *granted;
  answer.authenticated = request->authenticated;
  Endpoint endpoint = endpoint_of((*serving)->port, options_.labels);
  {  // before the service level is used: a newer one is then heard of in the replies
    const std::lock_guard guard(digest_lock_);
    answer.digest = digest_;
    answer.service_level = service_level_;
  }
  answer.instance = (*serving)->instance;
  answer.kinds.assign(kMeshKinds.begin(), kMeshKinds.end());
  const auto equipped =
      request->kind == ProbeKind::Ud ? equip_ud(*session, *request, endpoint) : equip_rc(*session, *request, endpoint);
  if (!equipped)
    return refuse(503, "cannot answer " + verbs::address_text(request->endpoint.gid) + ": " + equipped.error().text());
  answer.endpoints.push_back(std::move(endpoint));
  session->created_ns = verbs_.now_ns();
  session->ends_ns = session->created_ns + static_cast<std::int64_t>(answer.seconds) * kSecond;
  const SessionKey key = session_key(options_.secret, request->nonce, answer.nonce, answer.session);
  if (auto entered = enter(answer.session, std::move(session), *request, key); !entered)
    return refuse(503, entered.error().text());
  offer_connections(*request, *serving, key, answer);
  return SessionReply{encode_answer(answer, options_.secret), request->authenticated,
                      request->kind == ProbeKind::Bandwidth};
}

Result<void> Responder::equip_ud(Session& session, const SessionRequest& request, Endpoint& endpoint) {
  Serving& serving = *session.serving;
  auto addresses = AddressSet::create(*serving.ud, serving.port, request.endpoint.gid, request.traffic_class,
                                      service_level_, static_cast<std::uint32_t>(serving.ud->queue_pairs()));
  if (!addresses) return addresses.error();
  session.addresses = std::move(*addresses);
  endpoint.qkey = serving.ud->qkey();
  for (std::size_t i = 0; i < serving.ud->queue_pairs(); ++i)
    endpoint.queue_pairs.push_back({serving.ud->number(i), 0});
  return {};
}

Result<void> Responder::equip_rc(Session& session, const SessionRequest& request, Endpoint& endpoint) {
  Serving& serving = *session.serving;
  verbs::RcOptions wanted;
  wanted.queue_pairs =
      static_cast<std::uint32_t>(std::min<std::size_t>(request.endpoint.queue_pairs.size(), kQueuePairs));
  const bool sends = request.kind == ProbeKind::RcSend;
  wanted.buffer_bytes = sends                                  ? kRcSendBytes
                        : !request.authenticated               ? kStrangerRcBytes
                        : request.kind == ProbeKind::Bandwidth ? request.message_bytes
                        : request.on_demand                    ? kRcBytes
                                                               : 4096;
  wanted.receive_slots = !sends ? 0 : request.on_demand ? kReceives : kMeshReceives;
  wanted.remote_access = !sends;
  auto rc = serving.port.port->make_rc(wanted);
  if (!rc) return rc.error();
  verbs::Address to;
  to.gid = request.endpoint.gid;
  to.own_gid_index = serving.port.gid.index;
  to.traffic_class = request.traffic_class;
  to.service_level = service_level_;
  if (auto connected = connect_all(**rc, to, request.endpoint, serving.port.facts.active_mtu_bytes, {}); !connected)
    return connected;
  session.rc = std::move(*rc);
  for (std::size_t i = 0; i < session.rc->queue_pairs(); ++i)
    endpoint.queue_pairs.push_back({session.rc->number(i), session.rc->first_packet(i)});
  if (wanted.remote_access)
    endpoint.scratch = ScratchBuffer{session.rc->buffer(), session.rc->buffer_key(), wanted.buffer_bytes};
  return {};
}

Result<void> Responder::enter(std::uint64_t id, std::unique_ptr<Session> session, const SessionRequest& request,
                              const SessionKey& key) {
  UdClient client;
  client.key = key;
  client.addresses = session->addresses.handles();
  for (const QueuePair& pair : request.endpoint.queue_pairs) client.queue_pairs.push_back(pair.number);
  client.qkey = request.endpoint.qkey;
  client.probes_per_second = static_cast<std::uint64_t>(std::max(session->probes_per_second, 1.0));
  client.largest = session->largest;
  client.on_demand = request.on_demand;
  client.one_reply = !request.authenticated;
  {
    const std::lock_guard guard(digest_lock_);
    client.digest = telling();
  }
  Ended ended;
  const Entrance entrance(*this, kPatience);
  if (!entrance) return held_up();
  if (std::ranges::none_of(servings_, [&](const auto& each) { return each.second == session->serving; }))
    return Error{ErrorCode::Changed, "the port went while the session was made", request.endpoint.device, 0};
  if (session->kind == ProbeKind::Bandwidth)
    if (auto room = make_room_to_measure(request, ended); !room) return room;
  if (session->kind == ProbeKind::Ud)
    session->serving->engine.open(id, client);
  else
    end_replaced(request, ended);
  if (const auto before = sessions_.find(session->replaces);
      before == sessions_.end() || !before->second->like(request))
    session->replaces = 0;  // it is another's, or gone
  if (session->on_demand) on_demand_.insert(id);
  if (session->replaces != 0) replacing_.insert(id);
  sessions_[id] = std::move(session);
  ++accepted_;
  wake_up_.wake();
  return {};
}

void Responder::set_digest(const NodeDigest& digest) {
  NodeDigest sendable = digest;
  (void)make_sendable(sendable);
  const std::uint64_t hash = digest_hash(sendable);
  const std::lock_guard guard(digest_lock_);
  digest_ = std::move(sendable);
  digest_hash_ = hash;
}

void Responder::set_service_level(std::uint8_t level) {
  const std::lock_guard guard(digest_lock_);
  service_level_ = level;
}

/// With digest_lock_ held; 0 before there is a digest.
std::uint64_t Responder::telling() const {
  return digest_hash_ == 0 ? 0 : told_hash(digest_hash_, service_level_);
}

void Responder::take_digest() {
  std::uint64_t hash = 0;
  {
    const std::lock_guard guard(digest_lock_);
    hash = telling();
  }
  if (hash == told_hash_) return;
  told_hash_ = hash;
  for (auto& [name, serving] : servings_) serving->engine.set_digest(hash);
}

void Responder::post_receives(Session& session) {
  if (session.kind != ProbeKind::RcSend) return;
  std::array<verbs::Completion, 32> completions;
  (void)session.rc->poll(completions);
}

void Responder::step(std::int64_t late_ns) {
  Ended ended;
  const std::lock_guard guard(lock_);
  stuck_ = false;
  take_digest();
  bool any_failed = false;
  for (auto& [name, serving] : servings_) {
    if (const auto handled = serving->engine.step(late_ns); !handled) serving->failed = handled.error().text();
    any_failed = any_failed || !serving->failed.empty();
  }
  for (const std::uint64_t id : on_demand_) post_receives(*sessions_.at(id));
  const std::int64_t now_ns = verbs_.now_ns();
  if (!any_failed && now_ns - looked_after_ns_ < kLookAfterNs) return;  // a busy poller has no time to waste
  looked_after_ns_ = now_ns;
  look_after(now_ns, ended);
}

void Responder::look_after(std::int64_t now_ns, Ended& ended) {
  for (auto& [name, serving] : servings_) watch_events(*serving);
  look_at_scope(now_ns);
  std::vector<std::pair<std::string, std::string>> failed;
  for (const auto& [name, serving] : servings_)
    if (!serving->failed.empty()) failed.emplace_back(name, serving->failed);
  for (const auto& [name, why] : failed) drop_serving(name, why, ended);
  end_superseded(ended);
  if (now_ns - swept_ns_ >= kSweepNs) {  // of thousands of sessions of meshes nothing happens sooner
    swept_ns_ = now_ns;
    for (const auto& [id, session] : sessions_) post_receives(*session);
    end_old_sessions(now_ns, ended);
  }
  mark_arrivals(now_ns);
}

Responder::Status Responder::status() const {
  Status out;
  if (const Entrance entrance(*this, kGlance); entrance) {
    out = past_;
    out.open_ports = servings_.size();
    for (const auto& [name, serving] : servings_) out.messages += serving->engine.counts();
    for (const auto& [id, session] : sessions_) {
      ++out.sessions;
      out.rc_sessions += session->rc != nullptr ? 1 : 0;
      out.unauthenticated += session->authenticated ? 0 : 1;
    }
    const std::lock_guard guard(published_lock_);
    published_ = out;
  } else {
    const std::lock_guard guard(published_lock_);
    out = published_;
  }
  out.accepted = accepted_;
  out.denied = denied_;
  if (cm_) out.connections = cm_->status();
  return out;
}

}  // namespace roceready::probes

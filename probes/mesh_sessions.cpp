// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "probes/digest.h"
#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr int kExchangeMs = 3000;
constexpr std::uint32_t kSessionSeconds = 3600;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLeastGapNs = kSecond, kMostGapNs = 30 * kSecond;
constexpr std::uint32_t kConnectedBytes = 64;

std::uint8_t traffic_class(const MeshOptions& options) {
  return static_cast<std::uint8_t>(options.dscp << 2 | 2);
}

}  // namespace

void Mesh::want_session(Link& link, std::int64_t now_ns) {
  if (link.fetching || now_ns < link.not_fetched_before_ns) return;
  link.fetching = true;
  link.fetch_gap_ns = std::clamp(link.fetch_gap_ns * 2, kLeastGapNs, kMostGapNs);
  link.not_fetched_before_ns = now_ns + link.fetch_gap_ns;
  Fetch what{link.id, link.port, link.peer, link.kind, digest_};
  {
    const std::lock_guard guard(fetch_lock_);
    wanted_.push_back(std::move(what));
  }
  fetch_wanted_.notify_one();
}

bool Mesh::fetch_one() {
  std::optional<Fetch> what;
  {
    const std::lock_guard guard(fetch_lock_);
    if (wanted_.empty()) return false;
    what = std::move(wanted_.front());
    wanted_.pop_front();
  }
  Fetched fetched = fetch(*what);
  {
    const std::lock_guard guard(fetch_lock_);
    fetched_.push_back(std::move(fetched));
  }
  wake_up_.wake();
  return true;
}

void Mesh::fetcher(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock held(fetch_lock_);
      if (!fetch_wanted_.wait(held, stop, [this] { return !wanted_.empty(); })) return;
    }
    (void)fetch_one();
  }
}

Mesh::Fetched Mesh::fetch(const Fetch& what) {
  Fetched out;
  out.link = what.link;
  out.port = what.port;
  out.peer = what.peer;
  out.kind = what.kind;
  const auto fail = [&out](const Error& error) -> Fetched& {
    out.error = error.text();
    return out;
  };
  OpenPort& port = *what.port;
  SessionRequest asked;
  asked.nonce = random_nonce();
  asked.node = options_.labels.node;
  asked.kind = what.kind;
  asked.seconds = kSessionSeconds;
  asked.traffic_class = traffic_class(options_);
  asked.endpoint = endpoint_of(port.port, options_.labels);
  if (asked.endpoint.rail.empty()) asked.endpoint.rail = what.peer.rail;
  asked.digest = what.digest;
  if (what.kind == ProbeKind::Ud) {
    asked.endpoint.qkey = port.ud->qkey();
    for (std::size_t i = 0; i < port.ud->queue_pairs(); ++i)
      asked.endpoint.queue_pairs.push_back({port.ud->number(i), 0});
  } else {
    verbs::RcOptions wanted;
    wanted.buffer_bytes = kConnectedBytes;
    auto rc = port.port.port->make_rc(wanted);
    if (!rc) return std::move(fail(rc.error()));
    out.rc = std::move(*rc);
    asked.endpoint.queue_pairs.push_back({out.rc->number(0), out.rc->first_packet(0)});
  }
  out.asked_ns = verbs_.now_ns();
  const auto body = channel_.post_session(what.peer, encode_request(asked, options_.secret), kExchangeMs);
  out.serves_no_probes = !body && body.error().code == ErrorCode::NotSupported;
  out.control_answered = body || out.serves_no_probes || body.error().code == ErrorCode::Denied;
  if (!body) return std::move(fail(body.error().during("asking for a session")));
  auto answer = decode_answer(*body, options_.secret, asked);
  if (!answer) return std::move(fail(answer.error().during("the answer to a session request")));
  out.answer = std::move(*answer);
  const Endpoint& end = out.answer.endpoints.front();
  if (verbs::is_ipv4(end.gid) != verbs::is_ipv4(asked.endpoint.gid))
    return std::move(fail(Error{ErrorCode::Malformed, "the peer answers with another address family", "", 0}));
  if (end.gid == asked.endpoint.gid)
    return std::move(fail(Error{ErrorCode::Malformed, "the peer has this node's own address", "", 0}));
  out.key = session_key(options_.secret, asked.nonce, out.answer.nonce, out.answer.session);
  if (what.kind == ProbeKind::Ud) {
    auto addresses =
        AddressSet::create(*port.ud, port.port, end.gid, asked.traffic_class, options_.service_level, options_.paths);
    if (!addresses) return std::move(fail(addresses.error()));
    out.addresses = std::move(*addresses);
    return out;
  }
  verbs::Address to;
  to.gid = end.gid;
  to.own_gid_index = port.port.gid.index;
  to.traffic_class = asked.traffic_class;
  to.service_level = options_.service_level;
  if (auto connected = connect_all(*out.rc, to, end, port.port.facts.active_mtu_bytes, {}); !connected)
    return std::move(fail(connected.error()));
  return out;
}

void Mesh::take_fetched(std::int64_t now_ns) {
  std::vector<Fetched> all;
  {
    const std::lock_guard guard(fetch_lock_);
    all.swap(fetched_);
  }
  for (Fetched& fetched : all) {
    // The link may have gone meanwhile, and another have its place.
    if (fetched.link >= links_.size() || links_[fetched.link] == nullptr) continue;
    Link& link = *links_[fetched.link];
    if (link.port != fetched.port || link.peer.text() != fetched.peer.text() || link.kind != fetched.kind) continue;
    link.fetching = false;
    if (fetched.asked_ns != 0) {
      Control& control = control_[fetched.peer.text()];
      if (fetched.asked_ns >= control.asked_ns) control = {fetched.asked_ns, fetched.control_answered};
    }
    if (fetched.serves_no_probes) end_session(link);
    if (fetched.error) {
      link.error = *fetched.error;
      if (fetched.control_answered)
        link.tried_anew = link.tried_anew || fetched.asked_ns >= link.losing_since_ns;
      else if (fetched.asked_ns != 0)
        link.tried_anew = false, link.installed_ns = 0;
      if (!link.ready) {
        link.statistics.not_sent(now_ns);
        refresh(link, now_ns);
      }
      continue;
    }
    install(link, fetched, now_ns);
  }
}

/// That of another link to the same port of the same peer, else the lowest that no link has.
std::uint32_t Mesh::target_for(const Link& link, const Endpoint& end) const {
  std::vector<bool> taken(links_.size() + 1, false);
  for (const auto& other : links_) {
    if (other == nullptr || other.get() == &link || other->other.device.empty()) continue;
    if (other->peer == link.peer && other->other.device == end.device && other->other.port == end.port)
      return other->target;
    if (other->target < taken.size()) taken[other->target] = true;
  }
  return static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
}

void Mesh::end_session(Link& link) {
  if (!link.ready) return;
  link.ready = false;
  link.lost_in_row = 0;
  link.statistics.forget_row();
  link.rc_prober.reset();
  link.rc.reset();
  if (link.kind == ProbeKind::Ud) link.port->prober.close(link.id);
}

void Mesh::install(Link& link, Fetched& fetched, std::int64_t now_ns) {
  link.target = target_for(link, fetched.answer.endpoints.front());
  link.other = fetched.answer.endpoints.front();
  link.session_ends_ns = now_ns + static_cast<std::int64_t>(fetched.answer.seconds) * kSecond * 9 / 10;
  link.full_size = std::min(link.other.mtu, link.port->port.facts.active_mtu_bytes);
  link.answer_hash = digest_hash(fetched.answer.digest);
  link.heard_hash.reset();
  learn(digests_[link.peer.text()], std::move(fetched.answer.digest), now_ns);
  if (link.kind == ProbeKind::Ud) {
    UdTarget target;
    target.session = fetched.answer.session;
    target.key = fetched.key;
    target.addresses = fetched.addresses.handles();
    for (const QueuePair& pair : link.other.queue_pairs) target.peer_queue_pairs.push_back(pair.number);
    target.peer_qkey = link.other.qkey;
    target.traffic_class = traffic_class(options_);
    target.small_bytes = options_.size;
    link.port->prober.open(link.id, target);
    link.addresses = std::move(fetched.addresses);
  } else {
    link.rc_prober.reset();
    link.rc = std::move(fetched.rc);
    link.rc_prober = std::make_unique<RcProber>(*link.rc, verbs_, link.kind, link.id, options_.timeout_ns);
  }
  link.lost_in_row = 0;
  if (!link.ready) {
    link.error = Absent{Why::NotPresent, "no probe failed"};
    due_.erase({link.next_probe_ns, link.id});
    link.next_probe_ns = now_ns;
    due_.insert({link.next_probe_ns, link.id});
  }
  link.ready = true;
  link.installed_ns = now_ns;
  refresh(link, now_ns);
}

void Mesh::learn_digest(Link& link, std::uint64_t hash, std::int64_t now_ns) {
  const bool first = !link.heard_hash;
  const bool changed = first ? hash != link.answer_hash : hash != *link.heard_hash;
  link.heard_hash = hash;
  if (!changed) {
    link.fetched_for_digest = false;
    if (const auto known = digests_.find(link.peer.text()); known != digests_.end()) known->second.said_ns = now_ns;
    return;
  }
  // A peer of a newer version hashes more than we can read: the first hash of every session differs, and once is
  // enough.
  if (first && link.fetched_for_digest) return;
  link.fetched_for_digest = true;
  link.not_fetched_before_ns = 0;
  want_session(link, now_ns);
}

}  // namespace roceready::probes

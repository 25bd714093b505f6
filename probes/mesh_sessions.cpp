// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "probes/digest.h"
#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr int kExchangeMs = 3000;
constexpr std::uint32_t kSessionSeconds = 3600;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLeastGapNs = kSecond, kMostGapNs = 30 * kSecond;
constexpr std::int64_t kNotReadyGapNs = 5 * kSecond;  // most, of asking a peer that is not ready yet
constexpr std::int64_t kBetweenRenewalsNs = kSecond / 50, kMostRenewingNs = 30 * kSecond;
constexpr std::int64_t kDigestGapNs = 10 * kSecond;  // of asking a peer because its digest changed
constexpr std::uint32_t kConnectedBytes = 64;

}  // namespace

void Mesh::want_session(Link& link, std::int64_t now_ns) {
  if (link.fetching || now_ns < link.not_fetched_before_ns) return;
  link.fetching = true;
  link.fetch_gap_ns = std::clamp(link.fetch_gap_ns * 2, kLeastGapNs, kMostGapNs);
  link.not_fetched_before_ns = now_ns + link.fetch_gap_ns;
  const std::int64_t losing_since_ns = link.statistics.lost_in_row() > 0 ? link.losing_since_ns : 0;
  Fetch what{link.id,         link.port,        link.peer,    link.kind, digest_,
             losing_since_ns, link.peer.text(), link.session, class_};
  {
    const std::lock_guard guard(fetch_lock_);
    wanted_.push_back(std::move(what));
  }
  fetch_wanted_.notify_one();
}

/// Whether the answer is known without asking: the peer was silent a moment ago, after this link's first loss.
bool Mesh::known_silent(const Asked& peer, const Fetch& what, std::int64_t now_ns) {
  return now_ns < peer.until_ns && peer.asked_ns >= what.losing_since_ns;
}

/// What a fetcher does next: what is known without asking, then peers that answered, then others.
std::deque<Mesh::Fetch>::iterator Mesh::next_fetch(std::int64_t now_ns) {
  const std::uint32_t most_doubtful = std::max(options_.fetchers, 2U) - 1;
  auto doubtful = wanted_.end();
  for (auto each = wanted_.begin(); each != wanted_.end(); ++each) {
    const auto peer = asked_.find(each->peer_name);
    const bool asked = peer != asked_.end();
    if (asked && known_silent(peer->second, *each, now_ns)) return each;
    if (asked && peer->second.busy) continue;
    if (asked && peer->second.good) return each;
    if (doubtful == wanted_.end() && doubtful_ < most_doubtful) doubtful = each;
  }
  return doubtful;
}

void Mesh::note(Asked& peer, Fetched& fetched, std::int64_t now_ns) {
  peer.busy = false;
  peer.good = !fetched.error;
  if (fetched.asked_ns == 0) return;
  fetched.after_silence = peer.gap_ns != 0 && fetched.control_answered;
  if (fetched.control_answered) {
    peer.gap_ns = peer.until_ns = 0;
    return;
  }
  peer.gap_ns = std::clamp(peer.gap_ns * 2, kLeastGapNs, kMostGapNs);
  peer.asked_ns = fetched.asked_ns;
  peer.until_ns = fetched.not_before_ns = now_ns + peer.gap_ns;
  peer.error = fetched.error.value_or("");
}

bool Mesh::fetch_one() {
  Fetch what;
  bool was_good = false;
  {
    const std::lock_guard guard(fetch_lock_);
    const std::int64_t now_ns = verbs_.now_ns();
    const auto next = next_fetch(now_ns);
    if (next == wanted_.end()) return false;
    what = std::move(*next);
    wanted_.erase(next);
    Asked& peer = asked_[what.peer_name];
    if (known_silent(peer, what, now_ns)) {
      Fetched known;
      known.link = what.link;
      known.port = std::move(what.port);
      known.peer = std::move(what.peer);
      known.kind = what.kind;
      known.error = peer.error;
      known.asked_ns = peer.asked_ns;
      known.not_before_ns = peer.until_ns;
      fetched_.push_back(std::move(known));
      wake_up_.wake();
      return true;
    }
    peer.busy = true;
    was_good = peer.good;
    if (!was_good) ++doubtful_;
  }
  Fetched fetched = fetch(what);
  what.port.reset();  // the result holds it alone
  {
    const std::lock_guard guard(fetch_lock_);
    note(asked_[what.peer_name], fetched, verbs_.now_ns());
    if (!was_good) --doubtful_;
    fetched_.push_back(std::move(fetched));
  }
  fetch_wanted_.notify_all();  // other links to this peer waited for it
  wake_up_.wake();
  return true;
}

void Mesh::fetcher(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock held(fetch_lock_);
      const auto any = [this] { return next_fetch(verbs_.now_ns()) != wanted_.end(); };
      if (!fetch_wanted_.wait(held, stop, any)) return;
    }
    (void)fetch_one();
  }
}

/// A peer answers again: its links need not wait any more.
void Mesh::release(const std::string& peer) {
  for (const auto& link : links_)
    if (link != nullptr && link->peer.text() == peer) link->not_fetched_before_ns = link->fetch_gap_ns = 0;
}

Mesh::Fetched Mesh::fetch(const Fetch& what) {
  Fetched out;
  out.link = what.link;
  out.port = what.port;
  out.peer = what.peer;
  out.kind = what.kind;
  out.in_class = what.in_class;
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
  asked.traffic_class = what.in_class.traffic_class();
  asked.endpoint = endpoint_of(port.port, options_.labels);
  if (asked.endpoint.rail.empty()) asked.endpoint.rail = what.peer.rail;
  asked.digest = what.digest;
  asked.replaces = what.replaces;
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
  out.not_ready = !body && body.error().code == ErrorCode::Changed;
  out.control_answered = body || out.serves_no_probes || out.not_ready || body.error().code == ErrorCode::Denied;
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
    auto addresses = AddressSet::create(*port.ud, port.port, end.gid, asked.traffic_class, what.in_class.service_level,
                                        options_.paths);
    if (!addresses) return std::move(fail(addresses.error()));
    out.addresses = std::move(*addresses);
    return out;
  }
  verbs::Address to;
  to.gid = end.gid;
  to.own_gid_index = port.port.gid.index;
  to.traffic_class = asked.traffic_class;
  to.service_level = what.in_class.service_level;
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
    if (fetched.after_silence) release(fetched.peer.text());
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
    if (fetched.not_before_ns != 0) link.not_fetched_before_ns = fetched.not_before_ns;
    if (fetched.error) {
      link.error = *fetched.error;
      if (fetched.not_ready)  // it has just begun: that says nothing of the path
        link.not_fetched_before_ns = std::min(link.not_fetched_before_ns, now_ns + kNotReadyGapNs);
      else if (fetched.control_answered)
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
    take_offer(fetched.peer, fetched.answer.kinds, now_ns);
  }
}

/// Begins the links of kinds that the peer answers since then, and ends those of kinds that it does not answer any
/// more.
void Mesh::take_offer(const PeerAddress& peer, const std::vector<ProbeKind>& kinds, std::int64_t now_ns) {
  Known& known = digests_[peer.text()];
  if (known.kinds == kinds) return;
  known.kinds = kinds;
  std::set<std::pair<const OpenPort*, ProbeKind>> present;
  for (const auto& link : links_) {
    if (link == nullptr || link->peer.text() != peer.text()) continue;
    if (is_offered(peer.text(), link->kind))
      present.emplace(link->port.get(), link->kind);
    else
      remove_link(link->id);
  }
  for (const auto& [name, port] : ports_)
    for (const ProbeKind kind : options_.connected)
      if (same_rail(name, peer) && is_offered(peer.text(), kind) && !present.contains({port.get(), kind}))
        add_link(port, peer, kind, now_ns);
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

/// Lets the sessions of those links end one after the other: the next probe of each asks for another.
void Mesh::renew_sessions(std::int64_t now_ns, const std::function<bool(const Link&)>& which) {
  const std::int64_t in_ns = std::min(static_cast<std::int64_t>(links_.size()) * kBetweenRenewalsNs, kMostRenewingNs);
  std::int64_t rank = 0;
  const auto all = static_cast<std::int64_t>(std::max<std::size_t>(links_.size(), 1));
  for (const auto& link : links_)
    if (link != nullptr && which(*link))
      link->session_ends_ns = std::min(link->session_ends_ns, now_ns + in_ns * rank++ / all);
}

void Mesh::install(Link& link, Fetched& fetched, std::int64_t now_ns) {
  link.target = target_for(link, fetched.answer.endpoints.front());
  link.other = fetched.answer.endpoints.front();
  link.session_ends_ns = now_ns + static_cast<std::int64_t>(fetched.answer.seconds) * kSecond * 9 / 10;
  if (fetched.in_class != class_) link.session_ends_ns = now_ns;  // it changed while the peer was asked
  const std::uint32_t full_size = std::min(link.other.mtu, link.port->port.facts.active_mtu_bytes);
  if (std::exchange(link.full_size, full_size) != full_size) link.statistics.forget_mtu_probes();
  link.session = fetched.answer.session;
  // What was lost since the newest answer was sent to a responder that is no more, not lost on the way. Once: where the
  // next one answers nothing either, the path may be dead.
  if (link.instance != 0 && fetched.answer.instance != 0 && fetched.answer.instance != link.instance && !link.excused) {
    link.statistics.excuse_row();
    link.excused = true;
  }
  link.instance = fetched.answer.instance;
  link.key = fetched.key;
  link.cm_service = fetched.answer.cm_service.value_or(0);
  link.in_class = fetched.in_class;
  Known& known = digests_[link.peer.text()];
  const auto before = known.service_level;
  const NodeDigest digest_before = known.digest;
  learn(known, std::move(fetched.answer.digest), fetched.answer.service_level, now_ns);
  if (before && known.service_level != before)  // its replies to the others still leave in the old one
    renew_sessions(now_ns, [&](const Link& other) { return other.id != link.id && other.peer == link.peer; });
  if (link.kind == ProbeKind::Ud) {
    UdTarget target;
    target.session = fetched.answer.session;
    target.key = fetched.key;
    target.addresses = fetched.addresses.handles();
    for (const QueuePair& pair : link.other.queue_pairs) target.peer_queue_pairs.push_back(pair.number);
    target.peer_qkey = link.other.qkey;
    target.traffic_class = fetched.in_class.traffic_class();
    target.small_bytes = options_.size;
    link.port->prober.open(link.id, target);
    link.addresses = std::move(fetched.addresses);
  } else {
    link.rc_prober.reset();
    link.rc = std::move(fetched.rc);
    link.rc_prober = std::make_unique<RcProber>(*link.rc, verbs_, link.kind, link.id, options_.timeout_ns);
  }
  settle_baseline(link);
  settle_baselines(link.peer.text(), digest_before, known.digest);
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

/// What a reply says of the peer's digest, against what we know of it.
void Mesh::learn_digest(Link& link, std::uint64_t hash, std::int64_t now_ns) {
  const auto found = digests_.find(link.peer.text());
  if (found == digests_.end()) return;
  Known& known = found->second;
  if (hash == known.hash || hash == known.other_hash) {
    if (hash == known.hash) known.other_hash = 0;
    known.said_ns = now_ns;
    return;
  }
  if (known.asked_ns != 0 && now_ns - known.asked_ns < kDigestGapNs) return;  // the next reply says it again
  if (link.fetching) return;                                                  // that answer may be of before the change
  known.asked_for = hash;
  known.asked_ns = now_ns;
  link.not_fetched_before_ns = 0;
  want_session(link, now_ns);
}

}  // namespace roceready::probes

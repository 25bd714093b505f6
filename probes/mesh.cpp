// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "probes/digest.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPortsEveryNs = 10 * kSecond;
constexpr std::int64_t kSaidForNs = 30 * kSecond;  // why a port went that is not there any more
constexpr std::int64_t kQuietNs = kSecond;         // of a port after it failed to send
constexpr std::uint32_t kLostUntilFetch = 2;
constexpr std::uint32_t kMostPaths = 16, kConnectedBytes = 64;

MeshOptions bounded(MeshOptions options) {
  options.paths = std::clamp(options.paths, 1U, kMostPaths);
  options.size = std::clamp<std::uint32_t>(options.size, kHeaderBytes, 1024);
  options.interval_ns = std::max<std::int64_t>(options.interval_ns, kSecond / 10);
  options.timeout_ns = std::clamp(options.timeout_ns, kLeastTimeoutNs, kMostTimeoutNs);
  options.connected_interval_ns = std::max(options.connected_interval_ns, kSecond);
  options.fetchers = std::clamp(options.fetchers, 1U, 16U);
  return options;
}

/// Where in its interval a link probes: spread evenly, whatever the order in which links come.
std::int64_t phase(std::uint32_t id, std::int64_t interval_ns) {
  return static_cast<std::int64_t>(static_cast<double>(id * 0x9E3779B1U) / 4294967296.0 *
                                   static_cast<double>(interval_ns));
}

}  // namespace

Mesh::Mesh(verbs::Verbs& verbs, PeerChannel& channel, MeshOptions options, std::vector<LinkBaseline> baselines)
    : verbs_(verbs),
      channel_(channel),
      options_(bounded(std::move(options))),
      budget_(options_.budget != nullptr ? options_.budget : std::make_shared<Budget>(BudgetLimits{})),
      class_(options_.in_class),
      mtus_(verbs),
      began_ns_(verbs.now_ns()),
      last_turn_ns_(began_ns_) {
  for (LinkBaseline& each : baselines) keep_baseline(std::move(each));
}

Mesh::~Mesh() = default;

void Mesh::set_peers(const std::vector<PeerAddress>& peers) {
  {
    const std::lock_guard guard(given_lock_);
    given_.peers = peers;
  }
  wake_up_.wake();
}

void Mesh::set_digest(const NodeDigest& digest) {
  NodeDigest sendable = digest;
  (void)make_sendable(sendable);
  const std::lock_guard guard(given_lock_);
  given_.digest = std::move(sendable);
}

void Mesh::set_class(const TravelClass& in_class) {
  const std::lock_guard guard(given_lock_);
  given_.in_class = in_class;
}

void Mesh::take_given() {
  Given given;
  {
    const std::lock_guard guard(given_lock_);
    given = std::exchange(given_, {});
  }
  if (given.digest) {
    const NodeDigest before = std::exchange(digest_, std::move(*given.digest));
    digest_hash_ = digest_hash(digest_);
    settle_baselines("", before, digest_);
  }
  if (given.in_class && *given.in_class != class_) {
    class_ = *given.in_class;
    renew_sessions(verbs_.now_ns(), [](const Link&) { return true; });
  }
  if (!given.peers) return;
  peers_ = std::move(*given.peers);
  peers_changed_ = true;
  if (ports_.empty()) ports_due_ns_ = 0;
}

void Mesh::open_port(const verbs::PortName& name, std::int64_t now_ns) {
  auto port = open_probe_port(verbs_, name, std::nullopt);
  if (!port) {
    blocked_[name.text()] = port.error().what;
    return;
  }
  const auto links = static_cast<std::uint32_t>(std::max<std::size_t>(peers_.size() * 2, 16));
  verbs::UdOptions wanted;
  wanted.queue_pairs = options_.paths;
  // Each link has a probe or two under way, more only where the timeout is longer than the interval, and each brings
  // two replies.
  wanted.receive_slots = std::clamp(links * 4 / options_.paths, 16U, 2048U);
  wanted.send_slots = std::clamp(links * 2, 16U, 2048U);
  wanted.payload_bytes = port->facts.active_mtu_bytes;
  wanted.qkey = random_qkey();
  auto ud = port->port->make_ud(wanted);
  if (!ud) {
    blocked_[name.text()] = ud.error().what;
    budget_->trouble(now_ns);
    return;
  }
  blocked_.erase(name.text());
  closed_ns_.erase(name.text());
  const auto opened = std::make_shared<OpenPort>(std::move(*port), std::move(*ud), verbs_, links, options_.timeout_ns);
  ports_[name.text()] = opened;
  mtus_.add({opened, opened->port.port.get()}, opened->port.facts.active_mtu_bytes);
}

bool Mesh::excluded(const verbs::PortName& name) const {
  return options_.may_use && !options_.may_use(name);
}

/// Lets go of the ports that may not be used any more; there is nothing to say of them.
void Mesh::close_excluded() {
  std::vector<std::string> names;
  for (const auto& [name, port] : ports_)
    if (excluded(port->port.port->name())) names.push_back(name);
  for (const std::string& name : names) {
    close_port(name, "");
    blocked_.erase(name);
    closed_ns_.erase(name);
  }
}

void Mesh::refresh_ports(std::int64_t now_ns) {
  if (now_ns < ports_due_ns_) return;
  ports_due_ns_ = now_ns + kPortsEveryNs;
  close_excluded();
  if (peers_.empty()) return;
  const auto names = verbs_.list();
  if (!names) {
    blocked_ = {{"RDMA", names.error().text()}};
    return;
  }
  std::erase_if(closed_ns_, [&](const auto& each) { return now_ns - each.second > kSaidForNs; });
  std::erase_if(blocked_, [&](const auto& each) {
    return !closed_ns_.contains(each.first) && std::none_of(names->begin(), names->end(), [&](const auto& name) {
      return name.text() == each.first && !excluded(name);
    });
  });
  const std::size_t before = ports_.size();
  for (const verbs::PortName& name : *names) {
    if (ports_.contains(name.text()) || excluded(name)) continue;
    open_port(name, now_ns);
  }
  if (ports_.size() != before) peers_changed_ = true;
}

/// Of a port that goes.
void Mesh::keep_counts(const OpenPort& port) {
  for (std::size_t i = 0; i < past_refusals_.size(); ++i) past_refusals_[i] += port.prober.refusals()[i];
  for (std::size_t i = 0; i < past_discards_.size(); ++i) past_discards_[i] += port.prober.discards()[i];
}

void Mesh::close_port(const std::string& name, const std::string& why) {
  const auto found = ports_.find(name);
  if (found == ports_.end()) return;
  const std::shared_ptr<OpenPort> port = found->second;
  keep_counts(*port);
  port->closing.request_stop();
  ports_.erase(found);
  for (const auto& link : links_)
    if (link != nullptr && link->port == port) remove_link(link->id);
  blocked_[name] = why;
  closed_ns_[name] = verbs_.now_ns();
  ports_due_ns_ = std::min(ports_due_ns_, verbs_.now_ns() + kSecond);  // soon, for an address that only changed
}

/// What was under way says nothing of the path.
void Mesh::port_went_down(const std::string& name, OpenPort& port, const std::string& event) {
  port.down = true;
  blocked_[name] = "the port is down (" + event + ")";
  const auto sink = [this](const ProbeOutcome& outcome) { conclude(outcome, verbs_.now_ns()); };
  port.prober.abandon("the port went down", sink);
  for (const auto& link : links_)
    if (link != nullptr && link->port.get() == &port && link->rc_prober)
      link->rc_prober->abandon("the port went down", sink);
}

void Mesh::watch_events(const std::string& name, OpenPort& port) {
  for (const verbs::Event& event : port.port.port->events()) {
    if (!event.is_about(port.port.port->name())) continue;
    switch (event.kind) {
      case verbs::EventKind::DeviceFatal:
        port.failed = "the device failed or was removed (" + event.name + ")";
        break;
      case verbs::EventKind::PortError:
        port_went_down(name, port, event.name);
        break;
      case verbs::EventKind::PortActive:
        port.down = false;
        mtus_.suspect(*port.port.port);
        blocked_.erase(name);
        for (const auto& link : links_) {
          if (link == nullptr || link->port.get() != &port || link->ready) continue;
          link->not_fetched_before_ns = link->fetch_gap_ns = 0;
          want_session(*link, verbs_.now_ns());  // connections ended with the port
        }
        break;
      case verbs::EventKind::GidChange: {
        const auto facts = port.port.port->facts();
        const verbs::GidEntry& own = port.port.gid;
        const bool still =
            facts && std::any_of(facts->gids.begin(), facts->gids.end(), [&](const verbs::GidEntry& entry) {
              return entry.index == own.index && entry.gid == own.gid && entry.type == own.type;
            });
        if (!still) port.failed = "the address " + verbs::address_text(own.gid) + " is gone from the port";
        break;
      }
      default:
        break;
    }
  }
  if (port.failed.empty()) port.failed = mtus_.change_of(*port.port.port);
}

/// Whether a port of ours and a peer's label belong together. A label that none of our rails has says nothing here, and
/// a port without a rail asks for the peer's.
bool Mesh::same_rail(const std::string& port, const PeerAddress& peer) const {
  const auto& rails = options_.labels.rails;
  const auto own = rails.find(port);
  if (peer.rail.empty() || own == rails.end() || own->second.empty() || own->second == peer.rail) return true;
  return std::none_of(rails.begin(), rails.end(), [&](const auto& each) { return each.second == peer.rail; });
}

/// Whether the peer answers probes of this kind, as far as it said.
bool Mesh::is_offered(const std::string& peer, ProbeKind kind) const {
  if (std::ranges::find(kMeshKindsUnsaid, kind) != kMeshKindsUnsaid.end()) return true;
  const auto known = digests_.find(peer);
  return known != digests_.end() && std::ranges::find(known->second.kinds, kind) != known->second.kinds.end();
}

void Mesh::match_links(std::int64_t now_ns) {
  if (!peers_changed_) return;
  peers_changed_ = false;
  std::vector<ProbeKind> kinds{ProbeKind::Ud};
  kinds.insert(kinds.end(), options_.connected.begin(), options_.connected.end());
  std::map<std::string, const PeerAddress*> wanted;
  for (const PeerAddress& peer : peers_) wanted[peer.text()] = &peer;
  std::set<std::string> present;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i] == nullptr) continue;
    Link& link = *links_[i];
    const auto peer = wanted.find(link.peer.text());
    if (peer == wanted.end() || peer->second->rail != link.peer.rail) {
      remove_link(link.id);
      continue;
    }
    link.peer = *peer->second;  // its label may be another
    present.insert(link.port->port.port->name().text() + " " + link.peer.text() + " " + name_of(link.kind));
  }
  std::erase_if(digests_, [&](const auto& each) { return !wanted.contains(each.first); });
  std::erase_if(control_, [&](const auto& each) { return !wanted.contains(each.first); });
  {
    const std::lock_guard guard(fetch_lock_);
    std::erase_if(asked_, [&](const auto& each) { return !each.second.busy && !wanted.contains(each.first); });
  }
  if (peers_.empty()) {  // an open device can hold up the unloading of its driver
    for (const auto& [name, port] : ports_) {
      keep_counts(*port);
      port->closing.request_stop();
    }
    ports_.clear();
  }
  for (const auto& [name, port] : ports_)
    for (const PeerAddress& peer : peers_)
      for (const ProbeKind kind : kinds)
        if (same_rail(name, peer) && is_offered(peer.text(), kind) &&
            !present.contains(name + " " + peer.text() + " " + name_of(kind)))
          add_link(port, peer, kind, now_ns);
}

void Mesh::add_link(const std::shared_ptr<OpenPort>& port, const PeerAddress& peer, ProbeKind kind,
                    std::int64_t now_ns) {
  const auto free = std::find(links_.begin(), links_.end(), nullptr);
  const auto id = static_cast<std::uint32_t>(free - links_.begin());
  if (free == links_.end()) links_.emplace_back();
  WindowLimits limits = options_.window;
  limits.paths = kind == ProbeKind::Ud ? options_.paths : 1;
  auto link = std::make_unique<Link>(limits);
  link->id = id;
  link->port = port;
  link->peer = peer;
  link->kind = kind;
  // Not all on one queue pair at a time, whose ring would have to hold all their answers.
  if (kind == ProbeKind::Ud) link->next_path = first_path_++ % options_.paths;
  link->next_probe_ns = now_ns + phase(id, options_.interval_ns);
  due_.insert({link->next_probe_ns, id});
  links_[id] = std::move(link);
  refresh(*links_[id], now_ns);
}

void Mesh::remove_link(std::uint32_t id) {
  Link& link = *links_[id];
  if (LinkBaseline learned = baseline_of(link); link.terms && learned.learned_ns() != kNeverLearnedNs)
    keep_baseline(std::move(learned));
  if (link.kind == ProbeKind::Ud) link.port->prober.close(id);
  due_.erase({link.next_probe_ns, id});
  {
    const std::lock_guard guard(fetch_lock_);
    std::erase_if(wanted_, [id](const Fetch& what) { return what.link == id; });  // each holds the port
  }
  links_[id].reset();
}

void Mesh::send_due(std::int64_t now_ns) {
  const std::int64_t shown_for_ns =
      std::clamp(static_cast<std::int64_t>(links_.size()) * 5'000'000, 2 * kSecond, 10 * kSecond);
  while (!due_.empty() && due_.begin()->first <= now_ns) {
    Link& link = *links_[due_.begin()->second];
    due_.erase(due_.begin());
    const std::int64_t interval = link.kind == ProbeKind::Ud ? options_.interval_ns : options_.connected_interval_ns;
    const std::int64_t turn_ns = std::exchange(link.turn_ns, 0);
    link.next_probe_ns = turn_ns != 0 ? turn_ns : link.next_probe_ns + interval;
    if (link.next_probe_ns <= now_ns) link.next_probe_ns = now_ns + interval;  // nothing is made up for
    if (!link.ready) {
      if (!link.port->down) want_session(link, now_ns);
      link.next_probe_ns = std::min(link.next_probe_ns, now_ns + options_.interval_ns);
    } else {
      if (now_ns >= link.session_ends_ns) want_session(link, now_ns);
      send(link, now_ns);
    }
    due_.insert({link.next_probe_ns, link.id});
    if (now_ns - link.shown_ns >= shown_for_ns) refresh(link, now_ns);
  }
}

void Mesh::send(Link& link, std::int64_t now_ns) {
  const auto held_back = [&](std::string why) {
    link.statistics.not_sent(now_ns);
    link.error = std::move(why);
  };
  if (link.port->down) return held_back("the port is down");
  if (now_ns < link.port->quiet_until_ns) return held_back("this port failed to send a moment ago");
  const bool full = link.kind == ProbeKind::Ud && options_.full_every > 0 && link.full_size > options_.size &&
                    link.probes % options_.full_every == options_.full_every - 1;
  const std::uint32_t size = link.kind != ProbeKind::Ud ? kConnectedBytes : full ? link.full_size : options_.size;
  ++link.probes;
  if (const Held held = budget_->ask(link.target, size, now_ns); held != Held::No)
    return held_back(std::string("held back by the budget: ") + name_of(held));
  Result<void> sent;
  if (link.rc_prober) {
    sent = link.rc_prober->probe(0, size);
    if (std::find(requesting_.begin(), requesting_.end(), link.id) == requesting_.end()) requesting_.push_back(link.id);
  } else {
    sent = link.port->prober.probe(link.id, link.next_path, size, digest_hash_);
    if (!full) link.next_path = (link.next_path + 1) % options_.paths;  // small probes visit all paths
  }
  if (sent) return;
  if (sent.error().code == ErrorCode::Changed)
    budget_->trouble(now_ns);  // this host is behind
  else
    link.port->quiet_until_ns = now_ns + kQuietNs;
  held_back(sent.error().text());
}

void Mesh::conclude(const ProbeOutcome& outcome, std::int64_t now_ns) {
  if (outcome.target >= links_.size() || links_[outcome.target] == nullptr) return;
  Link& link = *links_[outcome.target];
  using Kind = ProbeOutcome::Kind;
  const bool was_losing = link.statistics.lost_in_row() > 0;
  if (outcome.kind == Kind::AnsweredLate) return conclude_late(link, outcome, now_ns);
  if (!outcome.why.empty()) link.error = outcome.why;
  if (outcome.seen) link.statistics.saw(*outcome.seen, now_ns);
  if (outcome.arrivals_counted || outcome.known.there + outcome.known.back > 0)
    link.statistics.sides(outcome.known, now_ns);
  const bool full = link.kind == ProbeKind::Ud && outcome.size > options_.size;
  if (outcome.kind == Kind::NotSent) {
    link.statistics.not_sent(now_ns);
    link.port->quiet_until_ns = now_ns + kQuietNs;
  } else if (full) {
    link.statistics.mtu_probe(outcome.kind == Kind::Lost, now_ns);
  } else if (outcome.kind == Kind::Lost) {
    link.statistics.lost(outcome.path, now_ns);
    if (outcome.host_not_ready) link.statistics.host_not_ready(now_ns);
    if (!was_losing) link.losing_since_ns = now_ns;
    link.tried_anew = was_losing && (link.tried_anew || link.installed_ns >= link.losing_since_ns);
  } else if (outcome.kind == Kind::Untimed) {
    link.statistics.discarded(outcome.path, now_ns);
  } else {
    link.statistics.answered(outcome.path, outcome.timing, outcome.late, now_ns);
    if (outcome.rtt_counts())
      histograms_.add(link.port->port.port->name(), link.kind, static_cast<double>(outcome.timing.rtt_ns) * 1e-9);
  }
  if (outcome.kind == Kind::Answered || outcome.kind == Kind::Untimed) {
    budget_->calm();
    link.excused = false;
    link.lost_in_row = 0;
    link.fetch_gap_ns = 0;
    if (outcome.peer_digest != 0) learn_digest(link, outcome.peer_digest, now_ns);
  }
  // A full-size probe that is lost alone is the path's fault, and no new session would help.
  if (outcome.kind == Kind::Lost && !full && ++link.lost_in_row >= kLostUntilFetch) want_session(link, now_ns);
  if (outcome.kind == Kind::Lost && link.kind == ProbeKind::Ud && link.statistics.lost_in_row() >= kLostUntilFetch)
    ask_connections(link, now_ns);
  if (link.rc_prober && link.rc_prober->dead(0)) {
    link.ready = false;  // a connection that failed is gone
    if (!link.port->down) want_session(link, now_ns);
  }
  if (outcome.kind == Kind::Lost || was_losing) refresh(link, now_ns);  // what rules count is shown at once
}

void Mesh::conclude_late(Link& link, const ProbeOutcome& outcome, std::int64_t now_ns) {
  link.statistics.take_back(outcome.known_wrongly);
  if (outcome.peer_kept_it) {
    link.statistics.answered_late(outcome.size > options_.size, outcome.path, outcome.timing.responder_delay_ns,
                                  now_ns);
    link.excused = false;
    link.lost_in_row = 0;
  }
  refresh(link, now_ns);
}

/// Null: no request is under way there.
RcProber* Mesh::requester(std::uint32_t id) const {
  const Link* const link = id < links_.size() ? links_[id].get() : nullptr;
  return link != nullptr && link->rc_prober && link->rc_prober->busy(0) ? link->rc_prober.get() : nullptr;
}

void Mesh::step_connected(std::int64_t late_ns) {
  const auto sink = [this](const ProbeOutcome& outcome) { conclude(outcome, verbs_.now_ns()); };
  std::erase_if(requesting_, [this](std::uint32_t id) { return requester(id) == nullptr; });
  for (const std::uint32_t id : requesting_)
    if (RcProber* const prober = requester(id))
      if (const auto stepped = prober->step(late_ns, sink); !stepped) links_[id]->port->failed = stepped.error().text();
}

void Mesh::take_answers(std::int64_t late_ns) {
  const auto sink = [this](const ProbeOutcome& outcome) { conclude(outcome, verbs_.now_ns()); };
  for (auto& [name, port] : ports_)
    if (const auto stepped = port->prober.step(late_ns, sink); !stepped) port->failed = stepped.error().text();
  step_connected(late_ns);
}

void Mesh::step(std::int64_t late_ns) {
  const std::int64_t before_ns = verbs_.now_ns();
  const std::lock_guard guard(lock_);
  std::int64_t now_ns = verbs_.now_ns();
  late_ns += now_ns - before_ns;  // whoever read the facts kept us waiting
  take_given();
  for (auto& [name, port] : ports_) watch_events(name, *port);  // first: what a port that died lost is its own
  take_answers(late_ns);
  std::vector<std::pair<std::string, std::string>> failed;
  for (const auto& [name, port] : ports_) {
    if (!port->failed.empty())
      failed.emplace_back(name, port->failed);
    else if (port->sized_for < peers_.size())
      failed.emplace_back(name, "opened anew for more peers");
  }
  for (const auto& [name, why] : failed) close_port(name, why);
  now_ns = verbs_.now_ns();
  refresh_ports(now_ns);
  match_links(now_ns);
  take_fetched(now_ns);
  send_due(now_ns);
  last_turn_ns_ = now_ns;
  if (marks_.empty() || now_ns - marks_.back().at_ns >= 5 * kSecond) {
    marks_.push_back({now_ns, budget_->spent()});
    while (now_ns - marks_.front().at_ns > 60 * kSecond) marks_.pop_front();
  }
}

std::int64_t Mesh::next_step_ns() const {
  const std::lock_guard guard(lock_);
  std::int64_t at_ns = ports_due_ns_;
  if (!due_.empty()) at_ns = std::min(at_ns, due_.begin()->first);
  for (const auto& [name, port] : ports_)
    if (const auto deadline = port->prober.deadline_ns()) at_ns = std::min(at_ns, *deadline);
  for (const std::uint32_t id : requesting_)
    if (const RcProber* const prober = requester(id)) at_ns = std::min(at_ns, prober->deadline_ns().value_or(at_ns));
  return at_ns;
}

}  // namespace roceready::probes

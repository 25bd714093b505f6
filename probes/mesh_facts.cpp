// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "probes/digest.h"
#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kRememberedNs = 3'600'000'000'000;  // of a lost carrier
constexpr double kBusyShare = 0.05;                        // of the line rate, received by either end
constexpr int kTries = 200;
constexpr std::chrono::milliseconds kBetweenTries{1};

bool receives_much(const NodeDigest& node, const std::string& device, std::uint32_t port) {
  return std::any_of(node.ports.begin(), node.ports.end(), [&](const PortDigest& each) {
    return each.device == device && each.port == port && each.rx_line_share && *each.rx_line_share >= kBusyShare;
  });
}

}  // namespace

/// What one end receives is what others send over the same paths; both ends tell it in their digests.
bool Mesh::is_busy(const Link& link) const {
  const verbs::PortName& own = link.port->port.port->name();
  if (receives_much(digest_, own.device, own.port)) return true;
  const auto peer = digests_.find(link.peer.text());
  return peer != digests_.end() && receives_much(peer->second.digest, link.other.device, link.other.port);
}

void Mesh::refresh(Link& link, std::int64_t now_ns) {
  PeerProbe& out = link.shown;
  OpenPort& port = *link.port;
  link.shown_ns = now_ns;
  link.statistics.load(is_busy(link), now_ns);
  out.device = port.port.port->name().device;
  out.port = port.port.port->name().port;
  out.peer = link.peer.text();
  out.peer_device = link.other.device;
  out.peer_port = link.other.port;
  out.address = link.other.device.empty() ? std::string() : verbs::address_text(link.other.gid);
  out.label = link.other.label.empty() ? link.peer.label : link.other.label;
  out.inside = !out.label.empty() && out.label == options_.labels.label;
  out.kind = name_of(link.kind);
  out.size = options_.size;
  out.mtu_size =
      link.kind == ProbeKind::Ud && options_.full_every > 0 && link.full_size > options_.size ? link.full_size : 0;
  out.error = link.error;
  link.statistics.fill(out);
  for (ProbePath& path : out.paths) {
    path.flow_label = port.port.facts.flow_label_sets_path ? flow_label_of_path(path.path) : 0;
    if (link.kind != ProbeKind::Ud) {
      path.source_qp = link.rc ? link.rc->number(0) : 0;
      path.udp_source_port = Absent{Why::NotSupported, "not known for connections"};
      continue;
    }
    path.source_qp = port.ud->number(path.path % port.ud->queue_pairs());
    path.udp_source_port = port.ud->udp_source_port(path.path % port.ud->queue_pairs(), path.flow_label);
  }
}

/// When the newest losses in a row began, by peer.
std::map<std::string, std::int64_t> Mesh::losing_since() const {
  std::map<std::string, std::int64_t> out;
  for (const auto& link : links_) {
    if (link == nullptr || link->statistics.lost_in_row() == 0) continue;
    std::int64_t& since_ns = out[link->peer.text()];
    since_ns = std::max(since_ns, link->losing_since_ns);
  }
  return out;
}

/// A link that loses nothing knows no better than one that does: that the peer went silent may be seen by one kind of
/// probe or one port first.
Reading<bool> Mesh::control_answers(const Link& link, const std::map<std::string, std::int64_t>& losing) const {
  const auto known = control_.find(link.peer.text());
  if (known == control_.end()) return Absent{Why::NotPresent, "not asked yet"};
  const auto since = losing.find(known->first);
  if (since == losing.end()) return known->second.answered;
  const std::int64_t since_ns = link.statistics.lost_in_row() > 0 ? link.losing_since_ns : since->second;
  if (known->second.asked_ns < since_ns) return Absent{Why::NotPresent, "not asked since answers ceased"};
  // A peer that has just restarted answers there before the first probe of its new session can be answered.
  if (known->second.answered && link.statistics.lost_in_row() > 0 && !link.tried_anew)
    return Absent{Why::NotPresent, "it answers, and its new session was not tried yet"};
  return known->second.answered;
}

ProbeFacts Mesh::facts() const {
  std::unique_lock held(lock_, std::try_to_lock);
  for (int tries = 0; !held && tries < kTries; ++tries) {
    std::this_thread::sleep_for(kBetweenTries);
    (void)held.try_lock();
  }
  if (held) {
    ProbeFacts fresh = gather();
    held.unlock();
    const std::lock_guard guard(published_lock_);
    published_ = fresh;
    return fresh;
  }
  const std::lock_guard guard(published_lock_);
  return published_;
}

PeerDigest Mesh::digest_of(const std::string& peer, const Known& known, std::int64_t now_ns) {
  PeerDigest out{peer, static_cast<double>(now_ns - known.said_ns) * 1e-9, known.digest};
  for (const auto& [port, at_ns] : known.carrier_lost_ns)
    out.carrier_lost_seconds_ago[port] = static_cast<double>(now_ns - at_ns) * 1e-9;
  return out;
}

/// Notes the ports that lost their carrier since the peer told us before.
void Mesh::learn(Known& known, NodeDigest&& digest, std::optional<std::uint32_t> level, std::int64_t now_ns) {
  for (const PortDigest& before : known.digest.ports)
    for (const PortDigest& now : digest.ports)
      if (now.device == before.device && now.port == before.port && now.carrier_losses && before.carrier_losses &&
          *now.carrier_losses > *before.carrier_losses)
        known.carrier_lost_ns[now.device + "/" + std::to_string(now.port)] = now_ns;
  std::erase_if(known.carrier_lost_ns, [&](const auto& each) { return now_ns - each.second > kRememberedNs; });
  known.hash = told_hash(digest_hash(digest), level);
  known.service_level = level;
  // What was heard is not what came: it may be the newer version's hash of the same.
  known.other_hash = known.asked_for != known.hash && known.asked_for != 0 ? known.asked_for : known.other_hash;
  known.asked_for = 0;
  known.digest = std::move(digest);
  known.said_ns = now_ns;
}

ProbeFacts Mesh::gather() const {
  ProbeFacts out;
  const std::int64_t now_ns = last_turn_ns_;
  out.running_seconds = static_cast<double>(now_ns - began_ns_) * 1e-9;
  const auto losing = losing_since();
  for (const auto& link : links_) {
    if (link == nullptr) continue;
    out.peers.push_back(link->shown);
    out.peers.back().control_answers = control_answers(*link, losing);
    out.window_seconds = std::max(out.window_seconds, link->statistics.covered_seconds(now_ns));
  }
  for (const auto& [peer, known] : digests_) out.digests.push_back(digest_of(peer, known, now_ns));
  out.own = digest_;
  out.blocked = blocked_;
  out.histograms = histograms_.all();
  if (marks_.size() > 1) {
    const double seconds = static_cast<double>(marks_.back().at_ns - marks_.front().at_ns) * 1e-9;
    const Budget::Spent now = marks_.back().spent;
    const Budget::Spent& then = marks_.front().spent;
    out.packets_per_second = static_cast<double>(now.messages - then.messages) / seconds;
    out.bytes_per_second = static_cast<double>(now.bytes - then.bytes) / seconds;
    out.core_share = static_cast<double>(now.cpu_ns - then.cpu_ns) * 1e-9 / seconds;
  }
  std::sort(out.peers.begin(), out.peers.end(), [](const PeerProbe& a, const PeerProbe& b) {
    return std::tie(a.device, a.port, a.peer, a.peer_device, a.kind) <
           std::tie(b.device, b.port, b.peer, b.peer_device, b.kind);
  });
  return out;
}

std::int64_t publishing_period_ns(std::int64_t cpu_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000, kTimes = 220;
  return std::clamp(cpu_ns < 10 * kSecond / kTimes ? cpu_ns * kTimes : 10 * kSecond, kSecond, 10 * kSecond);
}

Budget::Spent Mesh::spent() const {
  return budget_->spent();
}

UdProber::Refusals Mesh::refusals() const {
  const std::lock_guard guard(lock_);
  UdProber::Refusals out = past_refusals_;
  for (const auto& [name, port] : ports_)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += port->prober.refusals()[i];
  return out;
}

UdProber::Discards Mesh::discards() const {
  const std::lock_guard guard(lock_);
  UdProber::Discards out = past_discards_;
  for (const auto& [name, port] : ports_)
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += port->prober.discards()[i];
  return out;
}

}  // namespace roceready::probes

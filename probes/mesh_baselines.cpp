// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>

#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr int kTries = 200;
constexpr std::chrono::milliseconds kBetweenTries{1};

bool other_terms(const NodeDigest& before, const NodeDigest& now) {
  const auto any_differs = [](const NodeDigest& of, const NodeDigest& from) {
    return std::ranges::any_of(of.ports, [&](const PortDigest& port) {
      return port_terms(of, port.device, port.port) != port_terms(from, port.device, port.port);
    });
  };
  return any_differs(before, now) || any_differs(now, before);
}

}  // namespace

void Mesh::keep_baseline(LinkBaseline&& baseline) {
  if (baselines_.size() >= kMostBaselines)
    std::erase_if(baselines_, [oldest_ns = verbs_.now_ns() - kBaselineAgeNs](const auto& each) {
      return each.second.learned_ns() < oldest_ns;
    });
  std::string name = baseline.name();
  if (baselines_.size() < kMostBaselines || baselines_.contains(name))
    baselines_.insert_or_assign(std::move(name), std::move(baseline));
}

BaselineTerms Mesh::terms_of(const Link& link) const {
  const OpenPort& port = *link.port;
  const verbs::PortName& own = port.port.port->name();
  const bool datagrams = link.kind == ProbeKind::Ud;
  BaselineTerms out;
  out.own_address = verbs::address_text(port.port.gid.gid);
  out.peer_address = verbs::address_text(link.other.gid);
  out.own = port_terms(digest_, own.device, own.port);
  if (const auto known = digests_.find(link.peer.text()); known != digests_.end())
    out.peer = port_terms(known->second.digest, link.other.device, link.other.port);
  out.paths = datagrams ? options_.paths : 1;
  out.size = options_.size;
  out.interval_ns = datagrams ? options_.interval_ns : options_.connected_interval_ns;
  out.traffic_class = link.in_class.traffic_class();
  out.service_level = link.in_class.service_level;
  out.nic_clock = datagrams && port.ud->nic_clock();
  return out;
}

LinkBaseline Mesh::baseline_of(const Link& link) const {
  return {link.port->port.port->name().text(),
          link.peer.text(),
          link.other.device + "/" + std::to_string(link.other.port),
          name_of(link.kind),
          link.terms.value_or(BaselineTerms{}),
          link.statistics.learned()};
}

/// A baseline goes on as long as what it was learned of stays the same. Where that is new, one that was kept may hold.
void Mesh::settle_baseline(Link& link) {
  if (link.other.device.empty()) return;  // no session yet
  BaselineTerms now = terms_of(link);
  if (link.terms && holds_for(*link.terms, now)) {
    link.terms = completed(std::move(now), *link.terms);
    return;
  }
  LinkBaseline before = baseline_of(link);
  std::optional<LinkBaseline> known;
  if (const auto kept = baselines_.find(before.name());
      kept != baselines_.end() && holds_for(kept->second.terms, now)) {
    known = std::move(kept->second);
    baselines_.erase(kept);
  }
  if (link.terms) {
    link.statistics.forget_baselines();
    // What changed may change back: a driver that did not answer, a speed for a while.
    if (before.learned_ns() != kNeverLearnedNs) keep_baseline(std::move(before));
  }
  link.terms = std::move(now);
  if (!known) return;
  LearnedBaselines young = known->learned;
  for (auto& each : young)
    if (each && verbs_.now_ns() - each->learned_ns > kBaselineAgeNs) each.reset();
  link.statistics.recall(young);
  link.terms = completed(std::move(*link.terms), known->terms);
}

/// A node told of its ports: ours, or a peer's ("": ours).
void Mesh::settle_baselines(const std::string& peer, const NodeDigest& before, const NodeDigest& now) {
  if (!other_terms(before, now)) return;
  for (const auto& link : links_)
    if (link != nullptr && (peer.empty() || link->peer.text() == peer)) settle_baseline(*link);
}

std::optional<std::vector<LinkBaseline>> Mesh::baselines() const {
  std::unique_lock held(lock_, std::try_to_lock);
  for (int tries = 0; !held && tries < kTries; ++tries) {
    std::this_thread::sleep_for(kBetweenTries);
    (void)held.try_lock();
  }
  if (!held) return std::nullopt;
  std::map<std::string, LinkBaseline> all = baselines_;
  for (const auto& link : links_) {
    if (link == nullptr || !link->terms) continue;
    LinkBaseline baseline = baseline_of(*link);
    if (baseline.learned_ns() == kNeverLearnedNs) continue;
    std::string name = baseline.name();
    all.insert_or_assign(std::move(name), std::move(baseline));
  }
  held.unlock();
  std::vector<LinkBaseline> out;
  out.reserve(all.size());
  for (auto& [name, baseline] : all) out.push_back(std::move(baseline));
  std::ranges::stable_sort(out, std::ranges::greater{}, &LinkBaseline::learned_ns);
  if (out.size() > kMostBaselines) out.resize(kMostBaselines);
  return out;
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_prober.h"
#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {
namespace {

constexpr std::uint32_t kSilentInRow = 2;  // as many losses in a row fetch a session anew

}  // namespace

std::vector<CmTarget> Mesh::cm_targets() const {
  std::vector<CmTarget> out;
  const std::lock_guard guard(lock_);
  for (const auto& link : links_) {
    if (link == nullptr || link->kind != ProbeKind::Ud || link->session == 0) continue;
    CmTarget& target = out.emplace_back();
    const PeerProbe& shown = link->shown;
    target.named.device = shown.device;
    target.named.port = shown.port;
    target.named.peer = shown.peer;
    target.named.peer_device = shown.peer_device;
    target.named.peer_port = shown.peer_port;
    target.named.address = shown.address;
    target.named.label = shown.label;
    target.named.inside = shown.inside;
    target.from = link->port->port.gid.gid;
    target.to = link->other.gid;
    target.session = link->session;
    target.key = link->key;
    target.service = link->cm_service;
    target.traffic_class = link->in_class.traffic_class();
    target.budget_target = link->target;
    target.port = std::shared_ptr<verbs::Port>(link->port, link->port->port.port.get());
    target.through = link->port->port.facts.kernel;
    target.closing = link->port->closing.get_token();
    target.carries =
        link->ready && !link->port->down && link->port->failed.empty() && link->statistics.lost_in_row() < kSilentInRow;
    target.datagrams_lost = link->statistics.total_lost();
    target.datagrams_answered = link->statistics.total_sent() - target.datagrams_lost;
    target.known_until_ns = last_turn_ns_ - options_.timeout_ns;
  }
  return out;
}

}  // namespace roceready::probes

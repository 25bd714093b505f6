// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_prober.h"
#include "probes/mesh.h"
#include "probes/mesh_link.h"

namespace roceready::probes {

std::vector<CmTarget> Mesh::cm_targets() const {
  std::vector<CmTarget> out;
  const std::lock_guard guard(lock_);
  for (const auto& link : links_) {
    if (link == nullptr || !link->ready || link->kind != ProbeKind::Ud) continue;
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
    target.traffic_class = link->traffic_class;
    target.budget_target = link->target;
  }
  return out;
}

}  // namespace roceready::probes

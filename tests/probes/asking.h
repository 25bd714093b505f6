// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/exchange.h"
#include "probes/probe_port.h"

namespace roceready::probes {

/// What a node asks for when a person probes from that address.
inline SessionRequest asked_by(const char* address) {
  SessionRequest request;
  request.nonce = random_nonce();
  request.node = "c";
  request.on_demand = true;
  request.seconds = 60;
  request.endpoint.device = "mlx5_0";
  request.endpoint.gid = *verbs::parse_address(address);
  request.endpoint.qkey = 5;
  request.endpoint.mtu = 1024;
  request.endpoint.queue_pairs = {{0x20, 0}};
  return request;
}

}  // namespace roceready::probes

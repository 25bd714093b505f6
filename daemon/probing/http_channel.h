// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/peer_channel.h"

namespace roceready::daemon {

/// The control channel to peers: POST of their daemon or responder.
class HttpChannel : public probes::PeerChannel {
 public:
  Result<std::string> post_session(const probes::PeerAddress& peer, const std::string& body, int timeout_ms) override;
};

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "probes/peers.h"

namespace roceready::probes {

/// Control channel to peers: HTTP in the program, a map in tests.
/// Threads: any.
class PeerChannel {
 public:
  virtual ~PeerChannel() = default;
  /// POST /api/v1/probe/session: the answer's body, at most kExchangeBytes. Waits up to `timeout_ms`. Denied: the peer
  /// refused, with its words; Changed: it is not ready yet, and may be asked again soon; NotSupported: it answers, but
  /// serves no probes; TimedOut, NotFound, Io: it was not reached.
  virtual Result<std::string> post_session(const PeerAddress& peer, const std::string& body, int timeout_ms) = 0;
};

}  // namespace roceready::probes

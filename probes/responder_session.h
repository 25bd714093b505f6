// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <stop_token>

#include "probes/responder.h"

namespace roceready::probes {

/// Connections of one kind that a prober has to a port of ours: the one in use and the one that replaces it.
inline constexpr std::size_t kConnectedAlike = 2;

/// How long an HTTP server's thread waits to have a session entered.
inline constexpr std::chrono::milliseconds kPatience{1000};

/// Of a lock that could not be had within that time.
inline Error held_up() {
  return {ErrorCode::TimedOut, "the answering of probes is held up, as by a driver that hangs", "responder", 0};
}

/// A port that answers. Members go in reverse: engine, queue pairs, port.
struct Responder::Serving {
  Serving(ProbePort opened, std::unique_ptr<verbs::Ud> queues, const verbs::Verbs& clock, std::uint64_t rate,
          Budget* budget)
      : port(std::move(opened)), ud(std::move(queues)), engine(*ud, clock, rate, budget) {}
  ProbePort port;
  std::unique_ptr<verbs::Ud> ud;
  UdResponder engine;
  struct ArrivalMark {
    std::int64_t at_ns = 0;
    UdResponder::Arrived arrived;
  };
  std::deque<ArrivalMark> arrivals;  ///< of the last seconds, one each few
  const std::uint64_t instance =
      random_session();  ///< told to peers: what they sent to another one was answered by none
  std::int64_t used_ns = 0;
  std::string failed;        ///< why it must go, "" while it is well
  std::stop_source closing;  ///< whoever works with the port is to let it go
};

struct Responder::Session {
  std::shared_ptr<Serving> serving;  // outlives the addresses
  AddressSet addresses;
  std::unique_ptr<verbs::Rc> rc;
  ProbeKind kind = ProbeKind::Ud;
  bool on_demand = false, authenticated = false;
  double probes_per_second = 0;  ///< as granted
  std::uint32_t largest = 0;     ///< payload bytes of its largest probe
  std::int64_t created_ns = 0, ends_ns = 0;
  std::uint64_t replaces = 0;  ///< session of the same prober that ends when this one is heard, 0: none
  std::string node;            ///< of the prober, as it calls itself
  Endpoint prober;             ///< its port
  /// Whether `request` is for the same thing by the same prober. Without authentication only its address is believed.
  [[nodiscard]] bool like(const SessionRequest& request) const {
    if (kind != request.kind || on_demand != request.on_demand || authenticated != request.authenticated ||
        prober.gid != request.endpoint.gid)
      return false;
    return !authenticated ||
           (node == request.node && prober.device == request.endpoint.device && prober.port == request.endpoint.port);
  }
};

/// Holds the lock, or does not: false. Announces itself, so that a thread that polls busily lets go of it for a moment.
/// While the thread that has the lock is known to be held up nobody waits.
class Responder::Entrance {
 public:
  Entrance(const Responder& responder, std::chrono::milliseconds patience);
  explicit operator bool() const { return held_.owns_lock(); }

 private:
  std::unique_lock<std::mutex> held_;
};

}  // namespace roceready::probes

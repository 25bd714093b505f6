// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "core/base/result.h"
#include "probes/mac.h"
#include "probes/verbs/types.h"

/// The door from probes to the RDMA connection manager. Implemented by live_manager.cpp on librdmacm, by tests on a
/// fake.
namespace roceready::probes::cm {

/// Private data that an application can send with a request in the port space RDMA_PS_TCP.
inline constexpr std::size_t kPrivateBytes = 56;

/// A connection to make, as an application makes it: by IP addresses.
struct Call {
  verbs::Gid from{}, to{};         ///< of one address family, neither of them link-local
  std::uint16_t service = 0;       ///< port number in RDMA_PS_TCP
  std::uint8_t traffic_class = 0;  ///< DSCP << 2 | ECN
  std::vector<std::byte> told;     ///< private data, at most kPrivateBytes
};

/// Steps of making a connection, in their order.
enum class Stage { AddressResolution, RouteResolution, Connect };
[[nodiscard]] const char* name_of(Stage stage);  ///< "address resolution", "route resolution", "connect"

/// What became of a call.
struct Outcome {
  enum class Kind {
    Connected,  ///< and disconnected again
    Failed,     ///< as an application's connection would have
    Refused,    ///< by the peer's own word: its connection manager is reached, and does not want this call
    NotTried,   ///< this host could not: `why_not` has a reason
  };
  Kind kind = Kind::NotTried;
  Stage stage = Stage::AddressResolution;  ///< Failed: at which
  std::string why;                         ///< Failed, Refused: what was said
  Absent why_not{};  ///< NotSupported: no connection manager here; Denied; TimedOut: stopped; else NotPresent
  std::vector<std::byte> told;  ///< Connected: the peer's private data, which may be padded with zeros
};

/// Waits for calls at one of our addresses. Closed by its destructor, with the connections that it accepted.
/// Threads: one.
class Listener {
 public:
  /// Given a call's private data: that of the acceptance, at most as long; nothing: the call is refused.
  using Answer = std::function<std::optional<std::vector<std::byte>>(ByteSpan)>;
  virtual ~Listener() = default;
  [[nodiscard]] virtual std::uint16_t service() const = 0;  ///< port number, never 0
  /// Readable when step() has something to do.
  [[nodiscard]] virtual int fd() const = 0;
  /// Answers the calls that came and lets connections go that have lived long enough; never waits for a peer. A few
  /// connections are kept at a time, for seconds; calls beyond are refused. An error: the listener is of no use any
  /// more.
  virtual Result<void> step(const Answer& answer) = 0;
};

/// Threads: any.
class Manager {
 public:
  virtual ~Manager() = default;
  /// Makes the connection and ends it. Waits for 11 s at most, and less once `stop` is asked for.
  [[nodiscard]] virtual Outcome call(const Call& what, const std::stop_token& stop) = 0;
  /// `service`: the port number wanted, 0: any. An address that no RDMA device has is NotFound; NotSupported: this host
  /// has no connection manager.
  virtual Result<std::unique_ptr<Listener>> listen(const verbs::Gid& address, std::uint16_t service) = 0;
};

}  // namespace roceready::probes::cm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/base/reading.h"
#include "core/base/result.h"
#include "probes/mac.h"
#include "probes/verbs/types.h"

/// The door from probes to the RDMA connection manager. Implemented by kernel_manager.cpp on the kernel's own interface
/// (fact rdma-ucm), by tests on a fake.
///
/// A connection is made of management datagrams alone: nothing is sent over it, and the queue pairs whose numbers they
/// carry stay unconnected. But the numbers must be those of queue pairs that are ours at that moment and were of no
/// other connection: to a peer's kernel a number of ours that it knows is a connection that is over, and it ends it.
namespace roceready::probes::cm {

/// Private data that an application can send with a request in the port space RDMA_PS_TCP.
inline constexpr std::size_t kPrivateBytes = 56;

/// A connection to make, as an application makes it: by IP addresses.
struct Call {
  verbs::Gid from{}, to{};         ///< of one address family, neither of them link-local
  std::uint16_t service = 0;       ///< port number in RDMA_PS_TCP
  std::uint8_t traffic_class = 0;  ///< DSCP << 2 | ECN
  std::vector<std::byte> told;     ///< private data, at most kPrivateBytes
  verbs::KernelPort through;       ///< the port of ours that it must leave by
  std::uint32_t queue_pair = 0;    ///< number of one of that port
};

/// Steps of making a connection, in their order.
enum class Stage { AddressResolution, RouteResolution, Connect };
[[nodiscard]] const char* name_of(Stage stage);  ///< "address resolution", "route resolution", "connect"

/// What became of a call.
struct Outcome {
  enum class Kind {
    Connected,  ///< and disconnected again
    Failed,     ///< as an application's connection would have
    Refused,    ///< by a word that only a connection manager well reached has: no room, or a call that it knows
    NotTried,   ///< this host could not: `why_not` has a reason
  };
  Kind kind = Kind::NotTried;
  Stage stage = Stage::AddressResolution;  ///< Failed: at which; never RouteResolution
  std::string why;                         ///< Failed, Refused: what was said
  Absent why_not{};  ///< NotSupported: no connection manager here; Denied; TimedOut: stopped; else NotPresent
  /// Connected: the peer's private data, which may be padded with zeros. Failed or Refused by a rejection: the same of
  /// that, which tells the word of its program from that of its kernel.
  std::vector<std::byte> told;
};

/// What a call is accepted with.
struct Acceptance {
  std::vector<std::byte> told;  ///< private data, at most 196 bytes
  std::uint32_t queue_pair = 0;
  std::shared_ptr<void> owner;  ///< of that queue pair: let go some seconds after the connection
};
/// What a call is refused with.
struct Refusal {
  std::vector<std::byte> told;  ///< private data, at most 148 bytes; that of a kernel which refuses by itself is zeros
};
using Reply = std::variant<Acceptance, Refusal>;

/// Waits for calls at one of our addresses. Closed by its destructor, with the connections that it accepted.
/// Threads: one.
class Listener {
 public:
  /// Given a call's private data, and whether there is room for one more connection: without, it can only be refused.
  using Answer = std::function<Reply(ByteSpan, bool has_room)>;
  virtual ~Listener() = default;
  [[nodiscard]] virtual std::uint16_t service() const = 0;  ///< port number, never 0
  /// Readable when step() has something to do.
  [[nodiscard]] virtual int fd() const = 0;
  /// Whether it keeps connections or their queue pairs, which step() ends in time.
  [[nodiscard]] virtual bool holds_any() const = 0;
  /// Answers the calls that came, 16 at most, and lets connections go that have lived long enough; never waits for a
  /// peer. There is room for 64 connections and queue pairs that are kept behind one. An error: the listener is of no
  /// use any more.
  virtual Result<void> step(const Answer& answer) = 0;
};

/// Threads: any.
class Manager {
 public:
  virtual ~Manager() = default;
  /// Makes the connection and ends it. Waits for 15 s at most, and for a fifth of a second once `stop` is asked for.
  [[nodiscard]] virtual Outcome call(const Call& what, const std::stop_token& stop) = 0;
  /// `service`: the port number wanted, 0: any. An address that is not of the port `at` is NotFound; NotSupported: this
  /// host has no connection manager.
  virtual Result<std::unique_ptr<Listener>> listen(const verbs::Gid& address, std::uint16_t service,
                                                   const verbs::KernelPort& at) = 0;
};

}  // namespace roceready::probes::cm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "probes/cm/kernel.h"
#include "probes/verbs/types.h"

namespace roceready::probes::cm {

/// Kinds of event, as the kernel numbers them (include/rdma/rdma_cm.h); it has more.
enum class EventKind : std::uint32_t {
  AddressResolved = 0,
  AddressError = 1,
  RouteResolved = 2,
  RouteError = 3,
  ConnectRequest = 4,
  ConnectResponse = 5,
  ConnectError = 6,
  Unreachable = 7,
  Rejected = 8,
  Established = 9,
  Disconnected = 10,
  DeviceRemoval = 11,
  AddressChange = 14,
  TimewaitExit = 15,
};

/// What happened, as the kernel tells it.
struct Happened {
  EventKind what = EventKind::AddressResolved;
  int status = 0;               ///< -errno; of Rejected the reason (rejection.h)
  std::uint32_t id = 0;         ///< of a ConnectRequest: new, and the taker's to destroy
  std::uint64_t uid = 0;        ///< that was given for the id; of a ConnectRequest its listener's
  std::vector<std::byte> told;  ///< private data, padded with zeros to what the message has room for
};
/// Of a struct rdma_ucm_event_resp of a reliable connection; nothing where the bytes are too few.
[[nodiscard]] std::optional<Happened> decode_event(ByteSpan bytes);

/// The port that an id is bound to.
struct Bound {
  std::uint64_t node_guid = 0;  ///< host order; 0: to none
  std::uint32_t port = 0;
  std::optional<std::uint32_t> device_index;  ///< kernels before 5.10 do not tell
};
/// Whether it is that port; what nobody knows is not.
[[nodiscard]] bool is_port(const Bound& bound, const verbs::KernelPort& wanted);

/// Commands to the kernel's connection manager. All are told their errno; ids are the kernel's. Threads: one.
class Channel {
 public:
  static Result<Channel> open(const OpenKernel& open);
  [[nodiscard]] int fd() const { return kernel_->fd(); }
  /// The next event; nothing: there is none now.
  [[nodiscard]] Result<std::optional<Happened>> next();

  /// An id of the port space RDMA_PS_TCP. `uid` comes with its events; not 0: the kernel keeps those.
  [[nodiscard]] std::pair<int, std::uint32_t> create(std::uint64_t uid);
  void destroy(std::uint32_t id);
  [[nodiscard]] int bind(std::uint32_t id, const verbs::Gid& address, std::uint16_t service);
  [[nodiscard]] int listen(std::uint32_t id, std::uint32_t backlog);
  [[nodiscard]] int set_traffic_class(std::uint32_t id, std::uint8_t traffic_class);
  [[nodiscard]] int resolve_address(std::uint32_t id, const verbs::Gid& from, const verbs::Gid& to,
                                    std::uint16_t service, std::uint32_t timeout_ms);
  [[nodiscard]] int resolve_route(std::uint32_t id, std::uint32_t timeout_ms);
  [[nodiscard]] int connect(std::uint32_t id, std::uint32_t queue_pair, ByteSpan told);
  /// Takes a ConnectRequest's id; its events carry `uid` from now on.
  [[nodiscard]] int accept(std::uint32_t id, std::uint64_t uid, std::uint32_t queue_pair, ByteSpan told);
  /// Tells the peer, whose ConnectResponse came, that the connection is made.
  [[nodiscard]] int confirm(std::uint32_t id);
  /// Refuses a ConnectRequest, whose id is still to be destroyed. `told`: at most 148 bytes.
  [[nodiscard]] int reject(std::uint32_t id, ByteSpan told);
  /// Asks for the end of a connection, or agrees to it.
  [[nodiscard]] int disconnect(std::uint32_t id);
  /// Where the kernel bound it.
  [[nodiscard]] std::pair<int, Bound> bound(std::uint32_t id);
  /// The port number that it was bound to.
  [[nodiscard]] std::pair<int, std::uint16_t> service(std::uint32_t id);

 private:
  explicit Channel(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}
  template <class Command>
  int give(std::uint32_t number, const Command& command, std::size_t answer_bytes = 0);
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace roceready::probes::cm

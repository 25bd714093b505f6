// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "probes/mac.h"
#include "probes/verbs/types.h"

struct rdma_cm_id;
struct rdma_conn_param;
struct rdma_event_channel;

namespace roceready::probes::cm {

struct Library;
/// NotSupported: librdmacm is not installed, lacks a function, or the kernel's part (rdma_ucm) is not loaded; loads no
/// module. Any thread.
[[nodiscard]] Result<const Library*> library();

/// A socket address of a GID.
class SocketAddress {
 public:
  SocketAddress(const verbs::Gid& gid, std::uint16_t port);
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage_); }

 private:
  sockaddr_storage storage_{};
};

/// What happened, copied, so that no event is held: destroying an id waits for events that are.
struct Happened {
  int what = 0;              ///< RDMA_CM_EVENT_…
  int status = 0;            ///< -errno, or the reason of a rejection
  rdma_cm_id* id = nullptr;  ///< of a CONNECT_REQUEST: new, and the taker's
  rdma_cm_id* listener = nullptr;
  std::vector<std::byte> told;  ///< private data
};

/// An event channel that never blocks.
class Channel {
 public:
  static Result<Channel> open(const Library& library);
  ~Channel();
  Channel(Channel&& other) noexcept : library_(other.library_), channel_(std::exchange(other.channel_, nullptr)) {}
  Channel& operator=(Channel&&) = delete;
  [[nodiscard]] rdma_event_channel* get() const { return channel_; }
  [[nodiscard]] int fd() const;
  /// The next event; nothing: there is none now.
  [[nodiscard]] Result<std::optional<Happened>> next();

 private:
  Channel(const Library& library, rdma_event_channel* channel) : library_(&library), channel_(channel) {}
  const Library* library_;
  rdma_event_channel* channel_;
};

/// A communication identifier with its queue pair. Goes before its channel.
class Identifier {
 public:
  static Result<Identifier> create(const Library& library, const Channel& channel);
  /// Takes over one that came with a request.
  Identifier(const Library& library, rdma_cm_id* id) : library_(&library), id_(id) {}
  ~Identifier();
  Identifier(Identifier&& other) noexcept : library_(other.library_), id_(std::exchange(other.id_, nullptr)) {}
  Identifier& operator=(Identifier&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(id_, other.id_);
    return *this;
  }
  [[nodiscard]] rdma_cm_id* get() const { return id_; }
  /// The smallest queue pair of a reliable connection: nothing is sent over it.
  Result<void> make_queue_pair();

 private:
  const Library* library_;
  rdma_cm_id* id_;
};

/// Parameters of a connection on which nothing is sent, with this private data, which must outlive them.
[[nodiscard]] rdma_conn_param parameters(const std::vector<std::byte>& told);

}  // namespace roceready::probes::cm

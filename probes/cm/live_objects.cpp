// SPDX-License-Identifier: Apache-2.0
#include "probes/cm/live_objects.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "probes/cm/library.h"

namespace roceready::probes::cm {
namespace {

constexpr std::uint32_t kQueueSlots = 1;
constexpr char kDevice[] = "/dev/infiniband/rdma_cm";

/// Asked here, since the library looks for the device elsewhere too when it may not open it, and then says that it is
/// not there. Its module is loaded, so this loads none.
Result<void> may_open() {
  const int fd = ::open(kDevice, O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    ::close(fd);
    return {};
  }
  if (errno == ENOENT)
    return Error{ErrorCode::NotSupported, "the device of the RDMA connection manager is not here (a container?)",
                 kDevice, errno};
  if (errno == EACCES || errno == EPERM)
    return os_error(errno, "no permission to use the RDMA connection manager", kDevice);
  return os_error(errno, "opening the RDMA connection manager", kDevice);
}

}  // namespace

SocketAddress::SocketAddress(const verbs::Gid& gid, std::uint16_t port) {
  if (verbs::is_ipv4(gid)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    std::memcpy(&to.sin_addr, gid.data() + 12, 4);
    std::memcpy(&storage_, &to, sizeof to);
  } else {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_port = htons(port);
    std::memcpy(&to.sin6_addr, gid.data(), gid.size());
    std::memcpy(&storage_, &to, sizeof to);
  }
}

Result<Channel> Channel::open(const Library& library) {
  if (auto may = may_open(); !may) return may.error();
  errno = 0;
  rdma_event_channel* const channel = library.create_event_channel();
  if (channel == nullptr) return os_error(errno == 0 ? EIO : errno, "opening the RDMA connection manager", kDevice);
  Channel out(library, channel);
  if (::fcntl(channel->fd, F_SETFL, ::fcntl(channel->fd, F_GETFL) | O_NONBLOCK) != 0)
    return os_error(errno, "making its events not block", kDevice);
  return out;
}

Channel::~Channel() {
  if (channel_ != nullptr) library_->destroy_event_channel(channel_);
}

int Channel::fd() const {
  return channel_->fd;
}

Result<std::optional<Happened>> Channel::next() {
  rdma_cm_event* event = nullptr;
  if (library_->get_cm_event(channel_, &event) != 0) {
    if (errno == EAGAIN || errno == EINTR) return std::optional<Happened>();
    return os_error(errno, "reading events of the RDMA connection manager", kDevice);
  }
  Happened out;
  out.what = event->event;
  out.status = event->status;
  out.id = event->id;
  out.listener = event->listen_id;
  const bool has_data = out.what == RDMA_CM_EVENT_CONNECT_REQUEST || out.what == RDMA_CM_EVENT_ESTABLISHED;
  if (has_data && event->param.conn.private_data != nullptr) {
    const auto* const data = static_cast<const std::byte*>(event->param.conn.private_data);
    out.told.assign(data, data + event->param.conn.private_data_len);
  }
  library_->ack_cm_event(event);
  return std::optional(std::move(out));
}

Result<Identifier> Identifier::create(const Library& library, const Channel& channel) {
  rdma_cm_id* id = nullptr;
  if (library.create_id(channel.get(), &id, nullptr, RDMA_PS_TCP) != 0)
    return os_error(errno, "making a communication identifier", kDevice);
  return Identifier(library, id);
}

Identifier::~Identifier() {
  if (id_ == nullptr) return;
  if (id_->qp != nullptr) library_->destroy_qp(id_);
  library_->destroy_id(id_);
}

Result<void> Identifier::make_queue_pair() {
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap.max_send_wr = wanted.cap.max_recv_wr = kQueueSlots;
  wanted.cap.max_send_sge = wanted.cap.max_recv_sge = 1;
  if (library_->create_qp(id_, nullptr, &wanted) != 0) return os_error(errno, "making a queue pair", "");
  return {};
}

rdma_conn_param parameters(const std::vector<std::byte>& told) {
  rdma_conn_param out{};
  out.private_data = told.data();
  out.private_data_len = static_cast<std::uint8_t>(std::min<std::size_t>(told.size(), 255));
  out.responder_resources = out.initiator_depth = 1;
  out.retry_count = 7;
  return out;
}

}  // namespace roceready::probes::cm

// SPDX-License-Identifier: Apache-2.0
#include "collectors/live/netlink_socket.h"

#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

namespace roceready::live {
namespace {

constexpr int kReceiveTimeoutSeconds = 2;
constexpr std::chrono::seconds kReplyTimeout{10};
constexpr int kSocketBufferBytes = 1024 * 1024;
/// The kernel builds dumps in pieces of at most 32 KiB and single answers to measure.
constexpr std::size_t kDatagramBytes = std::size_t{256} * 1024;
constexpr int kDumpAttempts = 3;

void set_option(int fd, int level, int option, int value) {
  // What an old kernel does not know stays off; replies are checked in either case.
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof value));
}

}  // namespace

struct NetlinkSocket::Socket {
  Socket() : handle(::nl_socket_alloc()), datagram(kDatagramBytes) {}
  ~Socket() { ::nl_socket_free(handle); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  nl_sock* handle;
  Bytes datagram;
};

NetlinkSocket::NetlinkSocket(int protocol)
    : protocol_(protocol),
      sequence_(static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count())) {}

NetlinkSocket::~NetlinkSocket() = default;

Result<void> NetlinkSocket::open(const std::string& where) {
  if (socket_) return {};
  auto fresh = std::make_unique<Socket>();
  if (fresh->handle == nullptr) return os_error(ENOMEM, "cannot make a netlink socket", where);
  errno = 0;
  if (::nl_connect(fresh->handle, protocol_) < 0) {
    Error error = os_error(errno != 0 ? errno : EIO, "cannot open a netlink socket", where);
    if (error.os_error == EPROTONOSUPPORT || error.os_error == EAFNOSUPPORT) error.code = ErrorCode::NotSupported;
    return error;
  }
  const int fd = ::nl_socket_get_fd(fresh->handle);
  const timeval timeout{kReceiveTimeoutSeconds, 0};
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) != 0 ||
      ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0)
    return os_error(errno, "cannot limit the waiting time of a netlink socket", where);
  set_option(fd, SOL_SOCKET, SO_RCVBUF, kSocketBufferBytes);
  set_option(fd, SOL_NETLINK, NETLINK_EXT_ACK, 1);
  set_option(fd, SOL_NETLINK, NETLINK_CAP_ACK, 1);
  set_option(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1);
  socket_ = std::move(fresh);
  return {};
}

Result<Reply> NetlinkSocket::receive(const Expected& expected) {
  const auto deadline = std::chrono::steady_clock::now() + kReplyTimeout;
  const int fd = ::nl_socket_get_fd(socket_->handle);
  Reply reply;
  while (!reply.finished) {
    if (std::chrono::steady_clock::now() > deadline)
      return os_error(ETIMEDOUT, "the netlink reply did not end within 10 s", expected.where);
    sockaddr_nl sender{};
    iovec buffer{socket_->datagram.data(), socket_->datagram.size()};
    msghdr message{};
    message.msg_name = &sender;
    message.msg_namelen = sizeof sender;
    message.msg_iov = &buffer;
    message.msg_iovlen = 1;
    const ssize_t got = ::recvmsg(fd, &message, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return os_error(ETIMEDOUT, "no netlink answer within 2 s", expected.where);
    if (got < 0) return os_error(errno, "cannot receive the netlink answer", expected.where);
    // Any local process may send to our port; only port 0, the kernel, is believed.
    if (message.msg_namelen != sizeof sender || sender.nl_family != AF_NETLINK || sender.nl_pid != 0) continue;
    if ((message.msg_flags & MSG_TRUNC) != 0)
      return Error{ErrorCode::Malformed, "netlink reply: datagram longer than 256 KiB", expected.where, 0};
    const auto datagram = std::span<const std::byte>(socket_->datagram).first(static_cast<std::size_t>(got));
    if (auto parsed = parse_reply(datagram, expected, reply); !parsed) return parsed.error();
  }
  return reply;
}

Result<Reply> NetlinkSocket::converse(std::uint16_t type, std::uint16_t flags, const Payload& payload,
                                      Expected expected) {
  if (auto opened = open(expected.where); !opened) return opened.error();
  expected.sequence = ++sequence_;
  Bytes request = build_request(type, flags, expected.sequence, payload);
  errno = 0;
  if (::nl_sendto(socket_->handle, request.data(), request.size()) < 0) {
    const int failed = errno != 0 ? errno : EIO;
    socket_.reset();
    return os_error(failed, "cannot send the netlink question", expected.where);
  }
  auto reply = receive(expected);
  if (!reply) socket_.reset();
  return reply;
}

Result<Bytes> NetlinkSocket::ask(std::uint16_t type, std::uint16_t reply_type, const Payload& payload,
                                 const std::string& where) {
  auto reply = converse(type, NLM_F_ACK, payload, Expected{0, reply_type, false, where});
  if (!reply) return reply.error();
  if (reply->refusal) return *reply->refusal;
  if (reply->payloads.empty())
    return Error{ErrorCode::Malformed, "netlink reply: acknowledged without an answer", where, 0};
  return std::move(reply->payloads.front());
}

Result<std::vector<Bytes>> NetlinkSocket::dump(std::uint16_t type, std::uint16_t reply_type, const Payload& payload,
                                               const std::string& where) {
  for (int attempt = 0; attempt < kDumpAttempts; ++attempt) {
    auto reply = converse(type, NLM_F_DUMP, payload, Expected{0, reply_type, true, where});
    if (!reply) return reply.error();
    if (reply->refusal) return *reply->refusal;
    if (!reply->interrupted) return std::move(reply->payloads);
  }
  return Error{ErrorCode::Changed, "the kernel's table changed during each of 3 dumps", where, 0};
}

}  // namespace roceready::live

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectors/live/reply.h"
#include "core/base/result.h"
#include "core/host/host.h"

namespace roceready::live {

/// A socket for questions to one netlink protocol, opened at the first question. After an answer that was late or broke
/// the protocol it is closed, and the next question opens a new one, so that no answer is taken for another's.
///
/// Threads: one caller. Cost: a question is answered within the send call, under the kernel's locks: a driver whose
/// firmware is stuck blocks there, and no timeout of ours reaches it.
/// Limits: 2 s without a datagram, 10 s and 64 MiB a reply, 256 KiB a datagram. Only the kernel is listened to.
class NetlinkSocket {
 public:
  /// protocol: NETLINK_ROUTE, NETLINK_GENERIC, …
  explicit NetlinkSocket(int protocol);
  ~NetlinkSocket();
  NetlinkSocket(const NetlinkSocket&) = delete;
  NetlinkSocket& operator=(const NetlinkSocket&) = delete;

  /// One question, one answer: the payload behind nlmsghdr. `reply_type` is the message type of the answer.
  Result<Bytes> ask(std::uint16_t type, std::uint16_t reply_type, const Payload& payload, const std::string& where);
  /// All answers of a dump. Interrupted by a change of the table: asked again, at most three times in all; then
  /// Changed.
  Result<std::vector<Bytes>> dump(std::uint16_t type, std::uint16_t reply_type, const Payload& payload,
                                  const std::string& where);

 private:
  struct Socket;
  Result<void> open(const std::string& where);
  Result<Reply> converse(std::uint16_t type, std::uint16_t flags, const Payload& payload, Expected expected);
  Result<Reply> receive(const Expected& expected);

  int protocol_;
  std::unique_ptr<Socket> socket_;
  std::uint32_t sequence_;
};

}  // namespace roceready::live

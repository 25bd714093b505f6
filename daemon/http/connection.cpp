// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/connection.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace roceready::daemon::http {

bool BoundedStream::wait(bool for_write, std::chrono::milliseconds most) const {
  pollfd poll_for{socket_, static_cast<short>(for_write ? POLLOUT : POLLIN), 0};
  return ::poll(&poll_for, 1, static_cast<int>(most.count())) > 0;
}

bool BoundedStream::wait_until_deadline(bool for_write) const {
  while (!stopping_ && Clock::now() < deadline_) {
    if (wait(for_write, std::chrono::milliseconds(100))) return true;
    if (!for_write && waiting_ > 0 && Clock::now() - began_ > kRequestTimeWhileOthersWait) return false;
  }
  return false;
}

ssize_t BoundedStream::read(char* to, std::size_t size) {
  if (position_ == size_) {
    if (!wait_until_deadline(false)) return -1;
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) return got;
    position_ = 0;
    size_ = static_cast<std::size_t>(got);
  }
  const std::size_t part = std::min(size, size_ - position_);
  bytes_ += part;
  if (over_budget()) return -1;
  std::memcpy(to, buffer_.data() + position_, part);
  position_ += part;
  return static_cast<ssize_t>(part);
}

bool BoundedStream::read_body(std::size_t size, std::string& to) {
  body_bytes_ = size;
  to.resize(size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = read(to.data() + done, size - done);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

std::string BoundedStream::remote() const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) return "";
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0)
    return "";
  return text.data();
}

ssize_t BoundedStream::write(const char* from, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (!wait_until_deadline(true)) return -1;
    const ssize_t put = ::send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (put <= 0) return -1;
    done += static_cast<std::size_t>(put);
  }
  return static_cast<ssize_t>(size);
}

void BoundedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  // Nothing here depends on who asks.
  ip.clear();
  port = 0;
}

void BoundedStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace roceready::daemon::http

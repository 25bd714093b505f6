// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inner header of http/: includes cpp-httplib, for server.cpp and connection.cpp only.

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

namespace roceready::daemon::http {

/// A connection with limits: a budget of bytes and a deadline for each request, where httplib's own stream knows only a
/// timeout for each read, which a client that trickles bytes renews for ever.
class BoundedStream : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kRequestBytes = std::size_t{16} * 1024;
  static constexpr std::chrono::seconds kRequestTime{5};

  static constexpr std::chrono::milliseconds kRequestTimeWhileOthersWait{500};

  /// `waiting`: connections that wait for a worker; a slow request must not keep them waiting.
  BoundedStream(int socket, const std::atomic<bool>& stopping, const std::atomic<std::size_t>& waiting)
      : socket_(socket), stopping_(stopping), waiting_(waiting) {}

  /// Waits for the first byte of the next request; false when none came while `patience()` lasted.
  template <class Patience>
  [[nodiscard]] bool await_request(Patience patience) {
    const auto begin = Clock::now();
    bytes_ = body_bytes_ = 0;
    while (position_ == size_) {
      if (stopping_ || Clock::now() - begin > patience()) return false;
      if (wait(false, std::chrono::milliseconds(100))) break;
    }
    began_ = Clock::now();
    deadline_ = began_ + kRequestTime;
    return true;
  }
  [[nodiscard]] bool over_budget() const { return bytes_ > kRequestBytes + body_bytes_; }
  /// Reads a body of exactly `size` bytes, which then do not count as headers. False when it did not come in time.
  [[nodiscard]] bool read_body(std::size_t size, std::string& to);
  /// IP address of the other end; "" where the kernel does not say.
  [[nodiscard]] std::string remote() const;

  bool is_readable() const override { return position_ < size_ || wait_until_deadline(false); }
  bool is_writable() const override { return wait_until_deadline(true); }
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  [[nodiscard]] bool wait(bool for_write, std::chrono::milliseconds most) const;
  [[nodiscard]] bool wait_until_deadline(bool for_write) const;

  int socket_;
  const std::atomic<bool>& stopping_;
  const std::atomic<std::size_t>& waiting_;
  Clock::time_point began_{}, deadline_{};
  std::size_t bytes_ = 0, body_bytes_ = 0;
  std::array<char, 4096> buffer_{};
  std::size_t position_ = 0, size_ = 0;
};

}  // namespace roceready::daemon::http

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "daemon/http/message.h"

namespace roceready::daemon::http {

/// `127.0.0.1:9885`, `[::]:9885`, `:9885` (every address).
struct Endpoint {
  std::string host;
  int port = 0;
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] Result<Endpoint> parse_endpoint(const std::string& text);

/// The HTTP server.
/// Threads: one that accepts, kWorkers that answer. stop() and the destructor join them, within a second.
/// Limits: 64 connections wait for a worker (more wait in the kernel); a request has 16 KiB of headers and 5 s; a
///   connection carries 100 requests, idles 5 s, and 0.5 s while others wait. A body is read only where
///   a resource takes one, up to its limit and within the same 5 s.
class Server {
 public:
  explicit Server(Site site);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Binds and starts to answer. `[::]` takes IPv4 as well. An occupied port is an Io error that names it. Port 0: any.
  [[nodiscard]] Result<void> start(const Endpoint& endpoint);
  [[nodiscard]] int port() const;
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace roceready::daemon::http

// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "daemon/http/connection.h"
#include "daemon/http/routes.h"

namespace roceready::daemon::http {
namespace {

constexpr std::size_t kWorkers = 8, kWaiting = 64, kRequestsPerConnection = 100;
constexpr std::chrono::milliseconds kIdle{5000}, kIdleWhileOthersWait{500};

/// Connections that wait for a worker. The accepting thread stops accepting while the queue is full: dropping a job of
/// httplib's would leak its socket.
class Workers : public httplib::TaskQueue {
 public:
  explicit Workers(std::atomic<std::size_t>& waiting) : waiting_(waiting) {
    for (std::size_t i = 0; i < kWorkers; ++i) threads_.emplace_back([this] { work(); });
  }
  void enqueue(std::function<void()> job) override {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return jobs_.size() < kWaiting; });
    jobs_.push_back(std::move(job));
    waiting_ = jobs_.size();
    filled_.notify_one();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    filled_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        filled_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
        waiting_ = jobs_.size();
      }
      room_.notify_one();
      job();
    }
  }

  std::atomic<std::size_t>& waiting_;
  std::mutex mutex_;
  std::condition_variable filled_, room_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

/// Closing with bytes unread resets the connection, and the answer may be lost with it. Never waits.
void discard_rest(int socket) {
  ::shutdown(socket, SHUT_WR);
  std::array<char, 4096> unread{};
  for (int i = 0; i < 16 && ::recv(socket, unread.data(), unread.size(), MSG_DONTWAIT) > 0; ++i) {
  }
}

constexpr char kTooLong[] = "X-Roceready-Too-Long";

/// The body of a POST to a resource that takes one. What is longer than that takes is only marked.
void take_body(BoundedStream& stream, httplib::Request& request) {
  request.headers.erase(kTooLong);
  const std::size_t most = most_body_bytes(request.path);
  const auto length = parse_u64(request.get_header_value("Content-Length"));
  if (most == 0) return;
  if (!length || *length > most || request.has_header("Transfer-Encoding")) {
    request.headers.emplace(kTooLong, "1");
    return;
  }
  if (!stream.read_body(*length, request.body)) request.body.clear();
  request.remote_addr = stream.remote();
}

/// httplib's server on bounded streams.
class BoundedServer : public httplib::Server {
 public:
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> waiting{0};

 private:
  bool process_and_close_socket(socket_t socket) override {
    BoundedStream stream(socket, stopping, waiting);
    const auto patience = [this] { return waiting > 0 ? kIdleWhileOthersWait : kIdle; };
    for (std::size_t n = 1; n <= kRequestsPerConnection && stream.await_request(patience); ++n) {
      bool closed = false, has_body = false, understood = false;
      const bool good = process_request(stream, n == kRequestsPerConnection, closed, [&](httplib::Request& request) {
        understood = true;
        // Many ranges of a large answer would multiply it.
        request.ranges.clear();
        request.headers.erase("Range");
        // A body that no resource takes stays unread, so the connection cannot go on.
        has_body = request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
        if (has_body && request.method == "POST") take_body(stream, request);
      });
      if (stream.over_budget()) {
        static constexpr char kTooLarge[] =
            "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        static_cast<void>(stream.write(kTooLarge, sizeof kTooLarge - 1));
      }
      // Where a request that was not understood ends is anybody's guess: its rest must not be taken for the next one.
      if (!understood) discard_rest(socket);
      if (!good || closed || has_body || !understood) break;
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }
};

Request request_from(const httplib::Request& from) {
  Request out;
  out.method = from.method;
  out.path = from.path;
  for (const auto& [name, value] : from.params) out.query.try_emplace(name, value);
  out.accept = from.get_header_value("Accept");
  out.accept_encoding = from.get_header_value("Accept-Encoding");
  out.body = from.body;
  out.remote = from.remote_addr;
  return out;
}

void fill(httplib::Response& to, Response from) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name.c_str(), value);
  to.set_header("Cache-Control", "no-store");
  to.set_header("X-Content-Type-Options", "nosniff");
  const Text body = from.body ? from.body : std::make_shared<const std::string>();
  // A provider instead of content: httplib would compress content by itself, once more.
  if (body->empty()) {
    to.set_content("", from.content_type.c_str());
    return;
  }
  to.set_content_provider(body->size(), from.content_type.c_str(),
                          [body](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                            return sink.write(body->data() + offset, length);
                          });
}

void set_socket_options(socket_t socket) {
  // Not SO_REUSEPORT, as httplib would: a second daemon would share the port unnoticed.
  const int yes = 1, no = 0;
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
  static_cast<void>(::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no));  // refused for IPv4, and harmless
}

}  // namespace

struct Server::Impl {
  explicit Impl(Site with) : site(std::move(with)) {}
  Site site;
  BoundedServer server;
  std::thread accepting;
  std::atomic<bool> ended{false};  ///< the accepting thread gave up
  int port = 0;
};

Server::Server(Site site) : impl_(std::make_unique<Impl>(std::move(site))) {}
Server::~Server() {
  stop();
}
int Server::port() const {
  return impl_->port;
}

Result<void> Server::start(const Endpoint& endpoint) {
  BoundedServer& server = impl_->server;
  server.set_socket_options(set_socket_options);
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(kRequestsPerConnection);  // what the Keep-Alive header says
  server.set_payload_max_length(0);
  server.new_task_queue = [this] { return new Workers(impl_->server.waiting); };
  server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    if (request.has_header(kTooLong))
      fill(response, problem(413, "Too long", "A body needs a Content-Length, and no more than its resource takes."));
    else
      fill(response, answer(request_from(request), impl_->site));
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty() || response.content_provider_) return;
    fill(response, problem(response.status, "Bad request", "The request could not be understood."));
    response.set_header("Connection", "close");
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
    fill(response, problem(500, "Internal error", "This request hit a bug of roceready."));
  });
  errno = 0;
  const bool bound = endpoint.port == 0 ? (impl_->port = server.bind_to_any_port(endpoint.host)) > 0
                                        : server.bind_to_port(endpoint.host, impl_->port = endpoint.port);
  if (!bound) {
    const int why = errno;
    Error error = os_error(
        why, "cannot listen on " + endpoint.text() + ": " + (why != 0 ? std::strerror(why) : "no such address"), "");
    if (why == EADDRINUSE)
      error.what += "; another process holds the port (ss -ltnp), choose another one with http.listen";
    error.code = ErrorCode::Io;
    return error;
  }
  impl_->accepting = std::thread([this] {
    impl_->server.listen_after_bind();
    impl_->ended = true;
  });
  return {};
}

void Server::stop() {
  if (!impl_->accepting.joinable()) return;
  impl_->server.stopping = true;
  // stop() does nothing before the accepting thread has begun.
  while (!impl_->server.is_running() && !impl_->ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->server.stop();
  impl_->accepting.join();
}

}  // namespace roceready::daemon::http

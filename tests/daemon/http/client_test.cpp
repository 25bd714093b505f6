// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/http/server.h"

namespace roceready::daemon::http {
namespace {

constexpr char kDead[] = "127.0.0.2", kGood[] = "127.0.0.1";

/// An address that accepts no connection and refuses none, as one behind a filter: its queue is full.
class DeadAddress {
 public:
  explicit DeadAddress(int port) {
    address_.sin_family = AF_INET;
    address_.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, kDead, &address_.sin_addr);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)) != 0) return;
    if (::listen(listener_, 0) != 0) return;
    for (int i = 0; i < 8 && !dead_; ++i) dead_ = !accepts();
  }
  DeadAddress(const DeadAddress&) = delete;
  DeadAddress& operator=(const DeadAddress&) = delete;
  ~DeadAddress() {
    for (const int each : callers_) ::close(each);
    ::close(listener_);
  }
  [[nodiscard]] bool is_dead() const { return dead_; }

 private:
  bool accepts() {
    const int caller = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    callers_.push_back(caller);
    (void)::connect(caller, reinterpret_cast<const sockaddr*>(&address_), sizeof(address_));
    pollfd wait{caller, POLLOUT, 0};
    constexpr int kMostMs = 200;
    return ::poll(&wait, 1, kMostMs) != 0;
  }
  sockaddr_in address_{};
  int listener_ = -1;
  bool dead_ = false;
  std::vector<int> callers_;
};

/// A node whose name has a dead address in front of a good one.
class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto started = server_.start({kGood, 0});
    if (!started) GTEST_SKIP() << "no loopback: " << started.error().text();
    dead_ = std::make_unique<DeadAddress>(server_.port());
    if (!dead_->is_dead()) GTEST_SKIP() << "no address here that does not answer";
    url_ = "http://node17.example:" + std::to_string(server_.port());
  }
  Board board_;
  Server server_{{board_, [] { return std::int64_t{1}; },
                  [](const std::string&, const std::string&) {
                    return SessionAnswer{200, "{}", 0};
                  }}};
  std::unique_ptr<DeadAddress> dead_;
  std::string url_;
  Resolver both_ = [](const std::string&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{kDead, kGood};
  };
  Resolver dead_alone_ = [](const std::string&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{kDead, kDead};
  };
};

TEST_F(ClientTest, reaches_a_good_address_behind_a_dead_one) {
  const auto posted = post(url_, "/api/v1/probe/session", "{}", 3000, both_);
  ASSERT_TRUE(posted) << posted.error().text();
  EXPECT_EQ(posted->status, 200);
  const auto fetched = fetch(url_, "/api/v1/rules", {.whole_ms = 3000}, both_);
  ASSERT_TRUE(fetched) << fetched.error().text();
  EXPECT_EQ(fetched->status, 200);
}

TEST_F(ClientTest, takes_no_longer_than_it_may_where_all_are_dead) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_FALSE(post(url_, "/api/v1/probe/session", "{}", 300, dead_alone_));
  EXPECT_EQ(fetch(url_, "/api/v1/rules", {.whole_ms = 300}, dead_alone_).error().code, ErrorCode::TimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

}  // namespace
}  // namespace roceready::daemon::http

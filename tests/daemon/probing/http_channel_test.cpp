// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/http_channel.h"

#include <gtest/gtest.h>

#include "daemon/http/server.h"

namespace roceready::daemon {
namespace {

/// A peer on the loopback that says what it is asked to say.
class HttpChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto started = server_.start({"127.0.0.1", 0});
    if (!started) GTEST_SKIP() << "no loopback: " << started.error().text();
  }
  [[nodiscard]] Result<std::string> asked() {
    return HttpChannel().post_session({"127.0.0.1", static_cast<std::uint16_t>(server_.port()), "", ""}, "{}", 2000);
  }
  Board board_;
  http::SessionAnswer said_;
  http::Server server_{
      {board_, [] { return std::int64_t{1}; }, [this](const std::string&, const std::string&) { return said_; }}};
};

TEST_F(HttpChannelTest, tells_a_peer_that_has_just_begun_from_one_that_serves_no_probes) {
  said_ = {503, "after its first sample", 1};
  const auto early = asked();
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::Changed);
  EXPECT_NE(early.error().what.find("not ready yet: after its first sample"), std::string::npos) << early.error().what;
  said_ = {404, "all are excluded", 0};
  EXPECT_EQ(asked().error().code, ErrorCode::NotSupported);
  said_ = {503, "no port of this node can answer", 0};
  EXPECT_EQ(asked().error().code, ErrorCode::Denied) << "that may last";
  said_ = {200, "{}", 0};
  EXPECT_TRUE(asked());
}

}  // namespace
}  // namespace roceready::daemon

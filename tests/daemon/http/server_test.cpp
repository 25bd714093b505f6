// SPDX-License-Identifier: Apache-2.0
#include "daemon/http/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "daemon/http/client.h"
#include "daemon/http/routes.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon::http {
namespace {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto report = std::make_shared<const rules::Report>(sample_report());
    board_.publish(std::make_shared<const Published>(report, CounterTable{}, ProcessFacts{}, DaemonFacts{}));
    board_.beat(1'000'000'000, 1'000'000'000);
    const auto started = server_.start({"127.0.0.1", 0});
    if (!started) GTEST_SKIP() << "no loopback: " << started.error().text();
  }
  /// Sends bytes as they are and returns all that comes back until the server closes.
  [[nodiscard]] std::string raw(const std::string& bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_GE(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
    std::string out;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(got));
    ::close(socket);
    return out;
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  Board board_;
  Server server_{{board_, [] { return std::int64_t{1'000'000'000}; },
                  [](const std::string& body, const std::string& remote) {
                    if (body == "no") return SessionAnswer{403, "you are not known here"};
                    return SessionAnswer{200, body + " from " + remote};
                  }}};
};

TEST_F(ServerTest, answers_over_a_socket) {
  const auto answer = fetch(url(), "/diagnose?format=text&port=mlx5_0%2F1");
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->verdict, "not_ready");
  EXPECT_TRUE(answer->body.starts_with("NOT READY"));
}

TEST_F(ServerTest, takes_a_body_where_peers_post_one) {
  const std::string long_one(std::size_t{64} * 1024, 'x');
  for (const std::string& body : {std::string("hello"), long_one}) {
    const auto answer = post(url(), "/api/v1/probe/session", body);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, body + " from 127.0.0.1");
  }
  const auto refused = post(url(), "/api/v1/probe/session", "no");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403);
  EXPECT_NE(refused->body.find("you are not known here"), std::string::npos);
}

TEST_F(ServerTest, refuses_bodies_elsewhere_without_length_and_beyond_their_limit) {
  EXPECT_EQ(post(url(), "/metrics", "hello")->status, 405);
  EXPECT_EQ(fetch(url(), "/api/v1/probe/session")->status, 405);
  EXPECT_EQ(post(url(), "/api/v1/probe/session", std::string(std::size_t{64} * 1024 + 1, 'x'))->status, 413);
  const std::string line = "POST /api/v1/probe/session HTTP/1.1\r\nHost: a\r\n";
  EXPECT_NE(raw(line + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n").find(" 413 "), std::string::npos);
  EXPECT_NE(raw(line + "Content-Length: 99999999999999999999999\r\n\r\n").find(" 413 "), std::string::npos);
  EXPECT_NE(raw(line + "Content-Length: -1\r\n\r\n").find(" 413 "), std::string::npos);
  EXPECT_EQ(raw(line + "X-Roceready-Too-Long: 1\r\nContent-Length: 2\r\n\r\nhi").find(" 413 "), std::string::npos);
}

TEST(Post, ends_although_the_peer_trickles) {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listening, 1), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &length), 0);
  std::size_t sent = 0;
  std::thread peer([&] {
    const int client = ::accept(listening, nullptr, nullptr);
    for (; sent < 300 && ::send(client, "a", 1, MSG_NOSIGNAL) == 1; ++sent) ::usleep(100'000);
    ::close(client);
  });
  EXPECT_FALSE(post("http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)), "/", "{}", 500));
  peer.join();
  ::close(listening);
  EXPECT_LT(sent, 300U) << "it went on until the peer had enough";
}

TEST_F(ServerTest, serves_a_responder_nothing_but_sessions) {
  const Site site{board_, [] { return std::int64_t{0}; }, {}, Serves::Sessions};
  Request request;
  request.path = "/metrics";
  EXPECT_EQ(answer(request, site).status, 404);
  request.path = "/healthz";
  EXPECT_EQ(answer(request, site).status, 200);
}

TEST_F(ServerTest, says_that_its_port_is_taken) {
  Server second({board_, [] { return std::int64_t{1'000'000'000}; }});
  const auto refused = second.start({"127.0.0.1", server_.port()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Io);
  EXPECT_NE(refused.error().what.find(std::to_string(server_.port())), std::string::npos);
}

TEST_F(ServerTest, refuses_headers_without_end) {
  std::string request = "GET /metrics HTTP/1.1\r\n";
  for (int i = 0; i < 2000; ++i) request += "X-" + std::to_string(i) + ": aaaaaaaaaaaa\r\n";
  EXPECT_EQ(raw(request + "\r\n").find("HTTP/1.1 200"), std::string::npos);
}

TEST_F(ServerTest, survives_a_long_line_and_a_long_range) {
  EXPECT_EQ(raw("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nConnection: close\r\n\r\n").find("HTTP/1.1 200"),
            std::string::npos);
  std::string ranges = "0-1";
  while (ranges.size() < 7000) ranges += ",0-1";
  const std::string answer = raw("GET /metrics HTTP/1.1\r\nConnection: close\r\nRange: bytes=" + ranges + "\r\n\r\n");
  EXPECT_LT(answer.size(), 200'000U);
  EXPECT_TRUE(fetch(url(), "/readyz"));
}

TEST_F(ServerTest, does_not_read_a_body_as_the_next_request) {
  const std::string answer = raw("POST /metrics HTTP/1.1\r\nContent-Length: 40\r\n\r\nGET /readyz HTTP/1.1\r\n\r\n");
  EXPECT_NE(answer.find("HTTP/1.1 405"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("HTTP/1.1 200"), std::string::npos);
}

TEST_F(ServerTest, answers_nonsense_once_and_closes) {
  const std::string answer = raw("NONSENSE\r\nmore nonsense\r\n\r\nGET /readyz HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400")) << answer;
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << answer;
  EXPECT_NE(answer.find("application/problem+json"), std::string::npos);
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(ServerTest, answers_head_without_a_body) {
  const std::string answer = raw("HEAD /metrics HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("HTTP/1.1 200"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(ServerTest, stops_within_a_second_while_a_client_idles) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto begin = std::chrono::steady_clock::now();
  server_.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  ::close(socket);
}

TEST(Fetch, says_what_to_try_when_nobody_listens) {
  const auto answer = fetch("http://127.0.0.1:1", "/diagnose");
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().what.find("roceready diagnose"), std::string::npos);
  EXPECT_EQ(fetch("https://host", "/").error().code, ErrorCode::Usage);
  EXPECT_EQ(query_escaped("mlx5_0/1"), "mlx5_0%2F1");
}

}  // namespace
}  // namespace roceready::daemon::http

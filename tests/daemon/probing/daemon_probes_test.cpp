// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/daemon_probes.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "collectors/sampler.h"
#include "core/host/answer_key.h"
#include "core/host/recording.h"
#include "core/snapshot/probe_json.h"
#include "daemon/cli/command.h"
#include "daemon/cli/terminal.h"
#include "daemon/http/routes.h"
#include "daemon/http/server.h"
#include "tests/daemon/sample_report.h"

namespace roceready::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;

ProbeFacts some_facts() {
  ProbeFacts facts;
  facts.window_seconds = 40;
  facts.running_seconds = 7200;
  PeerProbe peer;
  peer.device = "mlx5_0";
  peer.peer = "node17:9885";
  peer.kind = "ud";
  peer.sent = 80;
  peer.lost = 3;
  facts.peers = {peer};
  return facts;
}

/// A daemon of this node whose newest sample says so of its probes; nothing: it has no sample yet.
class RunningDaemon {
 public:
  explicit RunningDaemon(const std::optional<Reading<ProbeFacts>>& probes) {
    if (probes) {
      rules::Report report = sample_report();
      Snapshot snapshot = sample_snapshot();
      snapshot.probes = *probes;
      report.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
      board_.publish(std::make_shared<const Published>(std::make_shared<const rules::Report>(std::move(report)),
                                                       CounterTable{}, ProcessFacts{}, DaemonFacts{}));
    }
    EXPECT_TRUE(server_.start({"127.0.0.1", 0}));
  }
  [[nodiscard]] std::string listen() const { return "127.0.0.1:" + std::to_string(server_.port()); }

 private:
  Board board_;
  http::Server server_{{board_, [] { return kSecond; }}};
};

/// Listens on the loopback address. Answers with the bytes, or never.
class Stranger {
 public:
  explicit Stranger(std::string bytes) : bytes_(std::move(bytes)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      for (int client = 0; (client = ::accept(socket_, nullptr, nullptr)) >= 0;) {
        if (over_) {
          ::close(client);
          return;
        }
        ++asked;
        char request[4096];
        if (::recv(client, request, sizeof request, 0) > 0 && !bytes_.empty())
          (void)!::send(client, bytes_.data(), bytes_.size(), MSG_NOSIGNAL);
        while (::recv(client, request, sizeof request, 0) > 0) {
        }
        ::close(client);
      }
    });
  }
  ~Stranger() {
    over_ = true;
    const int last = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)::connect(last, reinterpret_cast<sockaddr*>(&address), sizeof address);
    thread_.join();
    ::close(last);
    ::close(socket_);
  }
  [[nodiscard]] std::string listen() const { return "127.0.0.1:" + std::to_string(port_); }
  std::atomic<int> asked = 0;

 private:
  const std::string bytes_;
  int socket_;
  std::uint16_t port_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

std::string http_answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::int64_t no_time() {
  return 0;
}

TEST(DaemonProbes, are_what_the_daemon_of_this_node_knows) {
  const RunningDaemon daemon(some_facts());
  DaemonProbes probes(daemon.listen(), no_time);
  const auto text = probes.results();
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(*text, probe_facts_json(some_facts()));
}

TEST(DaemonProbes, of_a_daemon_without_probes_are_absent_for_its_reason) {
  const RunningDaemon daemon(Reading<ProbeFacts>(Absent{Why::NotPresent, "this node does not probe"}));
  const auto text = DaemonProbes(daemon.listen(), no_time).results();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::NotFound);
  EXPECT_NE(text.error().what.find("this node does not probe"), std::string::npos);
  const RunningDaemon late(Reading<ProbeFacts>(Absent{Why::TimedOut, "the probe engine has said nothing"}));
  EXPECT_EQ(DaemonProbes(late.listen(), no_time).results().error().code, ErrorCode::TimedOut);
  const RunningDaemon young(std::nullopt);
  EXPECT_EQ(DaemonProbes(young.listen(), no_time).results().error().code, ErrorCode::NotFound);
}

TEST(DaemonProbes, without_a_daemon_are_absent) {
  std::string nobody;
  {
    const RunningDaemon gone(std::nullopt);
    nobody = gone.listen();
  }
  const auto text = DaemonProbes(nobody, no_time).results();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::NotFound);
  EXPECT_NE(text.error().what.find("no daemon runs on this node"), std::string::npos);
}

TEST(DaemonProbes, of_something_else_on_that_port_are_malformed) {
  for (const std::string& body :
       {std::string("hello"), std::string("{}extra"), std::string("[1]"), std::string("{\"peers\": [{\"sent\": -1}]}"),
        std::string("{\"unheard\": 1}"), std::string(10, '[') + std::string(10, ']')}) {
    const Stranger stranger(http_answer(body));
    const auto text = DaemonProbes(stranger.listen(), no_time).results();
    ASSERT_FALSE(text) << body;
    EXPECT_EQ(text.error().code, ErrorCode::Malformed) << body << ": " << text.error().text();
  }
}

TEST(DaemonProbes, of_a_daemon_that_hangs_cost_one_sample_and_not_each) {
  const Stranger silent("");
  std::int64_t now_ns = 100 * kSecond;
  DaemonProbes probes(silent.listen(), [&] { return now_ns; });
  for (int i = 0; i < 5; ++i) {
    const auto text = probes.results();
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::TimedOut) << text.error().text();
    now_ns += kSecond;
  }
  EXPECT_EQ(silent.asked, 1);
  now_ns += 10 * kSecond;
  (void)probes.results();
  EXPECT_EQ(silent.asked, 2);
}

TEST(DaemonProbes, of_a_daemon_whose_engine_hangs_are_asked_for_each_time) {
  const Stranger quick(http_answer(R"({"absent": "timed_out", "detail": "the probe engine has said nothing"})"));
  DaemonProbes probes(quick.listen(), [] { return 100 * kSecond; });
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(probes.results().error().code, ErrorCode::TimedOut);
    EXPECT_EQ(quick.asked, i) << "the daemon answers at once, so that asking costs nothing";
  }
}

TEST(LocalUrl, reaches_a_listener_on_every_address_by_the_loopback_one) {
  EXPECT_EQ(local_url("[::]:9000"), "http://127.0.0.1:9000");
  EXPECT_EQ(local_url("0.0.0.0:9000"), "http://127.0.0.1:9000");
  EXPECT_EQ(local_url(":9000"), "http://127.0.0.1:9000");
  EXPECT_EQ(local_url("10.1.2.3:9000"), "http://10.1.2.3:9000");
  EXPECT_EQ(local_url("[fd00::1]:9000"), "http://[fd00::1]:9000");
}

struct Kept : cli::Terminal {
  std::string text, errors;
  void out(std::string_view more) override { text += more; }
  void err(std::string_view more) override { errors += more; }
};

TEST(Record, carries_what_the_running_daemon_knows_from_probes_so_that_replay_sees_it) {
  const RunningDaemon daemon(some_facts());
  std::string pattern = (fs::temp_directory_path() / "roceready-record-XXXXXX").string();
  const fs::path root = ::mkdtemp(pattern.data());
  std::ofstream(root / "roceready.yaml") << "http:\n  listen: \"" << daemon.listen() << "\"\n";
  Kept terminal;
  ASSERT_EQ(
      cli::run({"record", (root / "out").string(), "--duration", "0s", "--config", (root / "roceready.yaml").string()},
               terminal),
      0)
      << terminal.errors;
  auto recording = read_recording((root / "out").string());
  ASSERT_TRUE(recording) << recording.error().text();
  ASSERT_FALSE(recording->samples.empty());
  const Answer* const answer = recording->find(0, answer_key::kProbeResults);
  ASSERT_NE(answer, nullptr);
  RecordedHost host(*recording);
  host.select(0);
  Host seam = host.host();
  const Snapshot replayed = Sampler(SamplerOptions{}).sample(seam);
  ASSERT_TRUE(replayed.probes) << replayed.probes.absent().detail;
  ASSERT_EQ(replayed.probes->peers.size(), 1U);
  EXPECT_EQ(replayed.probes->peers[0].peer, "node17:9885");
  EXPECT_EQ(replayed.probes->peers[0].lost, 3U);
  fs::remove_all(root);
}

}  // namespace
}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "probes/responder.h"

#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "tests/probes/asking.h"
#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

using Payload = std::vector<std::byte>;

std::uint64_t refused(const Responder& responder, Refusal why) {
  return responder.status().messages.refused[static_cast<std::size_t>(why)];
}

/// A node with a secret that is asked for connected sessions.
struct Connected : Pair {
  std::uint32_t expected_peers = 64;
  Connected() { plan.secret = secret_of("one secret of the fabric, long enough"); }
  void start() {
    ResponderOptions options;
    options.secret = plan.secret;
    options.expected_peers = expected_peers;
    b = std::make_unique<Responder>(fabric.node("b"), options);
  }
  SessionRequest request = [] {
    SessionRequest out = asked_by("10.0.0.1");
    out.kind = ProbeKind::RcWrite;
    out.on_demand = false;
    out.seconds = 3600;
    return out;
  }();
  std::variant<SessionReply, SessionRefusal> ask() {
    request.nonce = random_nonce();
    fabric.advance(1'000'000);
    return b->answer(encode_request(request, plan.secret), "");
  }
};

/// A pair whose probes' bytes are kept, with the queue pair they went to.
struct Watched : Pair {
  std::vector<Payload> sent;
  std::uint32_t qkey = 0, queue_pair = 0;
  Watched() {
    fabric.tap = [this](const Payload& payload, std::uint8_t) { sent.push_back(payload); };
    channel.on_the_way = [this](std::string& body) {
      const auto number_behind = [&](const std::string& word) {
        return static_cast<std::uint32_t>(std::stoul(body.substr(body.find(word) + word.size())));
      };
      qkey = number_behind("\"qkey\":");
      queue_pair = number_behind("\"number\":");
    };
  }
  void attack(const Payload& payload) {
    fabric.inject("10.0.0.2", queue_pair, qkey, payload);
    fabric.advance(1'000'000);
    b->step(0);
  }
};

TEST(Responder, answers_no_replayed_probe) {
  Watched pair;
  (void)pair.run();
  const std::uint64_t answered = pair.b->status().messages.answered;
  const std::uint64_t datagrams = pair.fabric.datagrams();
  pair.attack(pair.sent.front());
  EXPECT_EQ(refused(*pair.b, Refusal::Replayed), 1U);
  EXPECT_EQ(pair.b->status().messages.answered, answered);
  EXPECT_EQ(pair.fabric.datagrams(), datagrams) << "nothing is sent to whoever replays";
}

TEST(Responder, answers_no_forged_probe) {
  Watched pair;
  (void)pair.run();
  const std::uint64_t datagrams = pair.fabric.datagrams();
  Payload forged = pair.sent.front();
  forged[31] ^= std::byte{0x40};  // another sequence
  pair.attack(forged);
  EXPECT_EQ(refused(*pair.b, Refusal::Forged), 1U);
  pair.attack(Payload(10));
  pair.attack(Payload(64));
  EXPECT_EQ(refused(*pair.b, Refusal::Short), 1U);
  EXPECT_EQ(refused(*pair.b, Refusal::NotOurs), 1U);
  EXPECT_EQ(pair.fabric.datagrams(), datagrams);
}

TEST(Responder, answers_no_stranger_without_a_session) {
  Watched pair;
  (void)pair.run();
  Payload stranger = pair.sent.front();
  stranger[10] ^= std::byte{1};  // another session
  const std::uint64_t datagrams = pair.fabric.datagrams();
  pair.attack(stranger);
  EXPECT_EQ(refused(*pair.b, Refusal::UnknownSession), 1U);
  EXPECT_EQ(pair.fabric.datagrams(), datagrams);
}

TEST(Responder, never_sends_a_larger_reply_than_it_was_asked_with) {
  Watched pair;
  pair.plan.size = 1024;
  (void)pair.run();
  EXPECT_EQ(pair.sent.size(), 80U) << "one reply to a probe, for there is no secret";
  std::size_t full = 0;
  for (const Payload& payload : pair.sent) {
    EXPECT_LE(payload.size(), 1024U);
    full += payload.size() == 1024 ? 1 : 0;
  }
  EXPECT_EQ(full, 80U) << "the probe and its first reply test the path in both directions";
}

TEST(Responder, without_a_secret_serves_probes_on_demand_only) {
  Pair pair;
  SessionRequest request = asked_by("10.0.0.1");
  request.on_demand = false;
  auto answer = pair.b->answer(encode_request(request, {}), "10.0.0.1");
  ASSERT_TRUE(std::holds_alternative<SessionRefusal>(answer));
  EXPECT_EQ(std::get<SessionRefusal>(answer).http_status, 403);
  request.on_demand = true;
  answer = pair.b->answer(encode_request(request, {}), "10.0.0.1");
  EXPECT_TRUE(std::holds_alternative<SessionReply>(answer));
  EXPECT_EQ(pair.b->status().unauthenticated, 1U);
}

TEST(Responder, bounds_what_strangers_may_open) {
  Pair pair;
  SessionRequest request = asked_by("10.0.0.1");
  int accepted = 0;
  for (int i = 0; i < 100; ++i) {
    request.nonce = random_nonce();
    const auto answer = pair.b->answer(encode_request(request, {}), "10.0.0.1");
    if (std::holds_alternative<SessionReply>(answer))
      ++accepted;
    else
      EXPECT_EQ(std::get<SessionRefusal>(answer).http_status, 429);
    pair.fabric.advance(300'000'000);
  }
  EXPECT_EQ(accepted, 16);
  pair.fabric.advance(20'000'000'000);
  pair.b->step(0);
  EXPECT_EQ(pair.b->status().sessions, 0U) << "sessions that carry nothing end";
}

TEST(Responder, without_a_secret_answers_only_the_address_that_asks) {
  Pair pair;
  const std::string asked = encode_request(asked_by("10.0.0.1"), {});
  for (const char* remote : {"10.0.0.9", "", "::ffff:10.0.0.9", "fd00::1", "no address"}) {
    const auto answer = pair.b->answer(asked, remote);
    ASSERT_TRUE(std::holds_alternative<SessionRefusal>(answer)) << remote;
    EXPECT_EQ(std::get<SessionRefusal>(answer).http_status, 403);
    EXPECT_NE(std::get<SessionRefusal>(answer).why.find("probe from 10.0.0.1"), std::string::npos);
  }
  for (const char* remote : {"10.0.0.1", "::ffff:10.0.0.1"}) {
    const auto answer = pair.b->answer(asked, remote);
    ASSERT_TRUE(std::holds_alternative<SessionReply>(answer)) << remote;
    EXPECT_FALSE(std::get<SessionReply>(answer).authenticated);
  }
}

TEST(Responder, with_a_secret_answers_whoever_knows_it_wherever_he_asks_from) {
  Connected pair;
  pair.start();
  const auto answer = pair.ask();
  ASSERT_TRUE(std::holds_alternative<SessionReply>(answer));
  EXPECT_TRUE(std::get<SessionReply>(answer).authenticated);
}

TEST(Responder, without_a_secret_sends_no_more_than_it_was_sent) {
  for (const std::uint32_t size : {64U, 1024U}) {
    Watched pair;
    pair.plan.size = size;
    const ProbeResult result = pair.run();
    EXPECT_FALSE(result.error);
    EXPECT_EQ(result.rtt->count, 40U);
    EXPECT_EQ(pair.sent.size(), 80U);
    std::size_t bytes = 0;
    for (const Payload& payload : pair.sent) bytes += payload.size();
    EXPECT_LE(bytes, 2U * 40 * size);
  }
}

TEST(Responder, keeps_the_newest_two_connected_sessions_of_a_port_of_a_peer) {
  Connected pair;
  pair.start();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(std::holds_alternative<SessionReply>(pair.ask()));
  EXPECT_EQ(pair.b->status().rc_sessions, 2U);
  pair.request.endpoint.device = "mlx5_1";
  ASSERT_TRUE(std::holds_alternative<SessionReply>(pair.ask()));
  pair.request.node = "d";
  ASSERT_TRUE(std::holds_alternative<SessionReply>(pair.ask()));
  pair.request.kind = ProbeKind::RcRead;
  ASSERT_TRUE(std::holds_alternative<SessionReply>(pair.ask()));
  pair.request.on_demand = true;
  ASSERT_TRUE(std::holds_alternative<SessionReply>(pair.ask()));
  EXPECT_EQ(pair.b->status().rc_sessions, 6U) << "those of others stay";
  pair.b.reset();
  EXPECT_EQ(pair.fabric.open_objects(), 0);
}

TEST(Responder, without_a_secret_takes_connected_sessions_to_one_address_for_one_probers) {
  Pair pair;
  SessionRequest request = asked_by("10.0.0.1");
  request.kind = ProbeKind::RcWrite;
  for (int i = 0; i < 8; ++i) {
    request.node = "name " + std::to_string(i);
    request.endpoint.device = "mlx5_" + std::to_string(i);
    pair.fabric.advance(300'000'000);
    ASSERT_TRUE(std::holds_alternative<SessionReply>(pair.b->answer(encode_request(request, {}), "10.0.0.1")));
  }
  EXPECT_EQ(pair.b->status().rc_sessions, 2U);
}

TEST(Responder, allows_connected_sessions_for_as_many_peers_as_are_expected) {
  for (const std::uint32_t expected : {1U, 100U}) {
    Connected pair;
    pair.expected_peers = expected;
    pair.start();
    std::size_t accepted = 0;
    for (int i = 0; i < 450; ++i) {
      pair.request.node = std::to_string(i);
      accepted += std::holds_alternative<SessionReply>(pair.ask()) ? 1 : 0;
    }
    EXPECT_EQ(accepted, expected == 1 ? 384U : 450U);
    pair.request.node = "0";
    (void)pair.ask();
    pair.request.node = "another";
    EXPECT_EQ(std::holds_alternative<SessionReply>(pair.ask()), expected != 1);
  }
}

TEST(Responder, grants_probes_on_demand_out_of_half_of_the_budget_and_each_gets_what_it_was_granted) {
  Pair pair;
  ResponderOptions options;
  options.labels.node = "b";
  options.budget = std::make_shared<Budget>(BudgetLimits{.messages_per_second = 400});
  pair.b = std::make_unique<Responder>(pair.fabric.node("b"), options);
  double granted = 0, last = 1e9;
  for (int i = 0; i < 5; ++i) {
    SessionRequest request = asked_by("10.0.0.1");
    const auto said = pair.b->answer(encode_request(request, {}), "10.0.0.1");
    ASSERT_TRUE(std::holds_alternative<SessionReply>(said));
    const auto answer = decode_answer(std::get<SessionReply>(said).body, {}, request);
    ASSERT_TRUE(answer);
    EXPECT_LE(answer->probes_per_second, last);
    last = answer->probes_per_second;
    granted += last;
    pair.fabric.advance(200'000'000);
  }
  EXPECT_LE(granted, 200.0);
  EXPECT_GT(granted, 150.0);
  pair.fabric.advance(20'000'000'000);
  pair.b->step(0);
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  pair.plan.count = 300;
  const std::int64_t began_ns = pair.fabric.now_ns();
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 300U);
  EXPECT_EQ(result.lost, 0U) << "the prober keeps to what it was granted";
  EXPECT_NEAR(static_cast<double>(pair.fabric.now_ns() - began_ns) * 1e-9, 3, 0.5);
  EXPECT_EQ(options.budget->spent().messages, 300U);
}

TEST(Responder, grants_enough_to_each_of_twelve_probes_that_follow_each_other) {
  Pair pair;
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  ResponderOptions options;
  options.labels.node = "b";
  options.secret = pair.plan.secret;
  options.budget = std::make_shared<Budget>(BudgetLimits{});
  pair.b = std::make_unique<Responder>(pair.fabric.node("b"), options);
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  pair.plan.count = 200;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t began_ns = pair.fabric.now_ns();
    const ProbeResult result = pair.run();
    EXPECT_EQ(result.sent, 200U) << i;
    EXPECT_EQ(result.lost, 0U) << i;
    EXPECT_LT(pair.fabric.now_ns() - began_ns, 500'000'000) << i;
    pair.fabric.advance(150'000'000);
  }
}

TEST(Responder, grants_by_bytes_where_they_are_what_is_scarce) {
  Pair pair;
  ResponderOptions options;
  options.labels.node = "b";
  options.budget = std::make_shared<Budget>(BudgetLimits{});
  pair.b = std::make_unique<Responder>(pair.fabric.node("b"), options);
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  pair.plan.size = 4096;
  pair.plan.count = 1500;
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.sent, 1500U);
  EXPECT_EQ(result.lost, 0U) << "nothing that was granted is refused";
  SessionRequest small = asked_by("10.0.0.7");
  small.largest = 64;
  const auto said = pair.b->answer(encode_request(small, {}), "10.0.0.7");
  ASSERT_TRUE(std::holds_alternative<SessionReply>(said));
  EXPECT_GT(decode_answer(std::get<SessionReply>(said).body, {}, small)->probes_per_second, 600.0);
}

TEST(Responder, polls_busily_only_after_a_valid_probe) {
  Watched pair;
  (void)pair.b->answer(encode_request(asked_by("10.0.0.1"), {}), "10.0.0.1");
  pair.b->step(0);
  EXPECT_FALSE(pair.b->busy(pair.fabric.now_ns())) << "for a session alone";
  pair.plan.count = 1;
  (void)pair.run();
  EXPECT_TRUE(pair.b->busy(pair.fabric.now_ns()));
  pair.fabric.advance(1'100'000'000);
  pair.attack(Payload(64));
  pair.attack(pair.sent.front());
  EXPECT_FALSE(pair.b->busy(pair.fabric.now_ns())) << "for what is no probe, or a replayed one";
}

/// For how much of 40 s in which somebody probes steadily the responder polls busily, s.
double polled_in_40_seconds(Pair& pair) {
  pair.plan.count = 100'000;
  ProbeRun run(pair.fabric.node("a"), pair.channel, pair.peer, pair.plan);
  double out = 0;
  for (int i = 0; i < 4000; ++i) {
    EXPECT_TRUE(run.step(0));
    pair.fabric.advance(5'000'000);
    pair.b->step(0);
    out += pair.b->poll_busily(pair.fabric.now_ns()) ? 0.01 : 0;
    pair.fabric.advance(5'000'000);
  }
  EXPECT_GT(run.progress().done, 1000U) << "what comes is answered";
  EXPECT_EQ(run.progress().lost, 0U);
  return out;
}

TEST(Responder, polls_busily_for_strangers_a_part_of_the_time_only) {
  Pair pair;
  const double first = polled_in_40_seconds(pair);
  EXPECT_LE(first, 10 + 40 / 6.0 + 0.1);
  EXPECT_GE(first, 10);
  const double later = polled_in_40_seconds(pair);
  EXPECT_LE(later, 1 + 40 / 6.0 + 0.1);
  EXPECT_GE(later, 4);
}

TEST(Responder, polls_busily_for_those_who_know_the_secret_as_long_as_they_probe) {
  Pair pair;
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  EXPECT_GE(polled_in_40_seconds(pair), 39.5);
}

TEST(Responder, without_a_secret_gives_a_connection_one_path_and_a_buffer_no_larger_than_asking_for_it) {
  for (const ProbeKind kind : {ProbeKind::RcWrite, ProbeKind::RcRead}) {
    Pair pair;
    SessionRequest request = asked_by("10.0.0.1");
    request.kind = kind;
    const auto said = pair.b->answer(encode_request(request, {}), "10.0.0.1");
    ASSERT_TRUE(std::holds_alternative<SessionReply>(said));
    const auto answer = decode_answer(std::get<SessionReply>(said).body, {}, request);
    EXPECT_EQ(answer->endpoints.front().scratch->bytes, 64U);
    EXPECT_EQ(answer->endpoints.front().queue_pairs.size(), 1U);
    request.endpoint.queue_pairs.push_back({0x21, 0});
    const auto two = pair.b->answer(encode_request(request, {}), "10.0.0.1");
    ASSERT_TRUE(std::holds_alternative<SessionRefusal>(two));
    EXPECT_EQ(std::get<SessionRefusal>(two).http_status, 403);
    EXPECT_NE(std::get<SessionRefusal>(two).why.find("secret"), std::string::npos);
  }
}

TEST(Responder, takes_a_recorded_request_once) {
  Pair pair;
  pair.plan.secret = secret_of("one secret of the fabric, long enough");
  pair.restart_b();
  EXPECT_FALSE(pair.run().error);
  const auto again = pair.b->answer(pair.channel.asked.back(), "10.0.0.1");
  ASSERT_TRUE(std::holds_alternative<SessionRefusal>(again));
  EXPECT_EQ(std::get<SessionRefusal>(again).http_status, 403);
}

TEST(Responder, refuses_what_is_no_request) {
  Pair pair;
  for (const std::string body : {"", "{}", "[1,2]", "{\"schema\":\"roceready.probe-session/9\"}"}) {
    const auto answer = pair.b->answer(body, "10.0.0.1");
    ASSERT_TRUE(std::holds_alternative<SessionRefusal>(answer)) << body;
    EXPECT_EQ(std::get<SessionRefusal>(answer).http_status, 400);
  }
  EXPECT_EQ(pair.b->status().denied, 4U);
}

TEST(Responder, whose_port_has_another_address_now_ends_its_sessions_and_opens_new_ones) {
  Pair pair;
  EXPECT_FALSE(pair.run().error);
  EXPECT_EQ(pair.b->status().open_ports, 1U);
  pair.fabric.change_address("b", "mlx5_0", "10.0.0.77");
  pair.fabric.advance(10'000'000);
  pair.b->step(0);
  EXPECT_EQ(pair.b->status().sessions, 0U);
  EXPECT_EQ(pair.b->status().failed.size(), 1U);
  pair.fabric.advance(11'000'000'000);
  const ProbeResult after = pair.run();
  EXPECT_FALSE(after.error) << *after.error;
  EXPECT_EQ(after.peer_address, "10.0.0.77");
  EXPECT_TRUE(pair.b->status().failed.empty());
}

TEST(Responder, lets_go_of_a_device_that_died) {
  Pair pair;
  (void)pair.run();
  pair.fabric.kill_port("b", "mlx5_0", verbs::EventKind::DeviceFatal);
  pair.b->step(0);
  EXPECT_EQ(pair.b->status().open_ports, 0U);
  EXPECT_EQ(pair.fabric.open_objects(), 0);
  ASSERT_TRUE(pair.run().error);
  pair.fabric.revive_port("b", "mlx5_0");
  pair.fabric.advance(11'000'000'000);
  const ProbeResult after = pair.run();
  EXPECT_FALSE(after.error) << *after.error;
}

TEST(Responder, lets_go_of_a_port_that_is_excluded_and_answers_from_another_one) {
  Pair pair;
  doubles::FakePortSetup second;
  second.device = "mlx5_1";
  second.addresses = {"10.0.0.3"};
  pair.fabric.add_port("b", second);
  std::set<std::string> excluded;
  ResponderOptions options;
  options.may_use = [&](const verbs::PortName& port) { return !excluded.contains(port.device); };
  pair.b = std::make_unique<Responder>(pair.fabric.node("b"), options);
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  const std::string first = pair.run().peer_device;
  ASSERT_EQ(pair.b->status().sessions, 1U);
  excluded = {first};
  pair.fabric.advance(1'100'000'000);
  pair.b->step(0);
  EXPECT_EQ(pair.b->status().open_ports, 0U);
  EXPECT_EQ(pair.b->status().sessions, 0U);
  EXPECT_EQ(pair.fabric.open_objects(), 0);
  const ProbeResult other = pair.run();
  EXPECT_FALSE(other.error);
  EXPECT_NE(other.peer_device, first);
  excluded = {"mlx5_0", "mlx5_1"};
  const auto answer = pair.b->answer(encode_request(asked_by("10.0.0.1"), {}), "10.0.0.1");
  ASSERT_TRUE(std::holds_alternative<SessionRefusal>(answer));
  EXPECT_EQ(std::get<SessionRefusal>(answer).http_status, 404) << "it serves no probes, and is not out of order";
}

TEST(Responder, counts_the_probes_of_the_last_seconds_by_the_class_in_which_they_arrived) {
  Pair pair;
  pair.plan.dscp = 26;
  (void)pair.run();
  doubles::FabricRule remarks;
  remarks.to = "10.0.0.2";
  remarks.dscp = 0;
  pair.fabric.add_rule(remarks);
  (void)pair.run();
  const auto arrivals = pair.b->arrivals();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].device, "mlx5_0");
  EXPECT_GE(arrivals[0].packets.at("26"), 30U);
  EXPECT_EQ(arrivals[0].packets.at("0"), 40U);
  EXPECT_EQ(arrivals[0].unseen, 0U);
  for (int i = 0; i < 26; ++i) pair.fabric.advance(1'000'000'000), pair.b->step(0);
  ASSERT_EQ(pair.b->arrivals().size(), 1U);
  EXPECT_TRUE(pair.b->arrivals()[0].packets.empty()) << "longer ago";
  EXPECT_LE(pair.b->arrivals()[0].seconds, 25.0);
}

TEST(Responder, knows_no_class_where_the_nic_shows_no_header) {
  doubles::FakePortSetup blind;
  blind.zeroed_grh = true;
  Pair pair({}, blind);
  (void)pair.run();
  ASSERT_EQ(pair.b->arrivals().size(), 1U);
  EXPECT_TRUE(pair.b->arrivals()[0].packets.empty());
  EXPECT_GE(pair.b->arrivals()[0].unseen, 30U);
}

/// A host on which a microsecond passes between any two looks at the clock.
class SlowHost : public verbs::Verbs {
 public:
  explicit SlowHost(verbs::Verbs& real) : real_(real) {}
  Result<std::vector<verbs::PortName>> list() override { return real_.list(); }
  Result<std::unique_ptr<verbs::Port>> open(const verbs::PortName& name) override { return real_.open(name); }
  [[nodiscard]] std::int64_t now_ns() const override { return real_.now_ns() + 1000 * ++looks_; }
  [[nodiscard]] std::int64_t waited_ns() const override { return real_.waited_ns(); }

 private:
  verbs::Verbs& real_;
  mutable std::int64_t looks_ = 0;
};

TEST(Responder, whose_one_reply_must_be_signed_before_it_is_sent_tells_what_signing_takes_as_its_own_delay) {
  Pair pair;
  SlowHost host(pair.fabric.node("b"));
  pair.b = std::make_unique<Responder>(host, ResponderOptions{});
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  std::vector<std::uint64_t> delays;
  pair.fabric.tap = [&](const Payload& payload, std::uint8_t) {
    if (std::to_integer<int>(payload[3]) != 3) return;  // a second reply
    std::uint64_t delay = 0;
    for (std::size_t i = 32; i < 40; ++i) delay = delay << 8 | std::to_integer<std::uint64_t>(payload[i]);
    delays.push_back(delay);
  };
  (void)pair.run();
  ASSERT_GE(delays.size(), 20U);
  EXPECT_EQ(delays[19] - delays[0], 1000U) << "known from the eighth reply on";
}

TEST(Responder, closes_the_port_when_nobody_has_probed_for_a_while) {
  Pair pair;
  (void)pair.run();
  for (int i = 0; i < 100; ++i) pair.fabric.advance(1'000'000'000), pair.b->step(0);
  EXPECT_EQ(pair.b->status().open_ports, 0U);
  EXPECT_EQ(pair.fabric.open_objects(), 0);
  EXPECT_EQ(pair.b->status().messages.answered, 40U) << "counts outlive the port";
}

TEST(Responder, prefers_the_port_on_the_probers_rail_then_the_one_in_its_subnet) {
  doubles::FakePortSetup a, first, second, third;
  a.addresses = {"10.2.0.1"};
  first.addresses = {"10.1.0.2"};
  second.device = "mlx5_1";
  second.addresses = {"10.2.0.2"};
  third.device = "mlx5_2";
  third.addresses = {"10.3.0.2"};
  Pair pair(a, first);
  pair.fabric.add_port("b", second);
  pair.fabric.add_port("b", third);
  EXPECT_EQ(pair.run().peer_device, "mlx5_1");
  pair.plan.labels.rails = {{"mlx5_0/1", "rail3"}};
  ResponderOptions options;
  options.labels.rails = {{"mlx5_2/1", "rail3"}};
  pair.b = std::make_unique<Responder>(pair.fabric.node("b"), options);
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  EXPECT_EQ(pair.run().peer_device, "mlx5_2");
}

TEST(Responder, is_not_taken_for_lossy_when_it_restarts) {
  Pair pair;
  pair.plan.count = 2000;
  int rounds = 0;
  pair.between = [&] {
    if (++rounds == 50) pair.restart_b();
  };
  const ProbeResult result = pair.run();
  EXPECT_EQ(result.lost, 5U) << "on demand, the session that is gone ends the run";
  EXPECT_LT(result.sent, 100U);
  EXPECT_FALSE(pair.run().error) << "a new session works";
}

TEST(Responder, answers_while_other_threads_open_sessions) {
  Pair pair;
  pair.responder_runs = false;
  std::jthread loop([&](const std::stop_token& stop) { pair.b->run(stop); });
  std::atomic<bool> over = false;
  std::jthread others([&] {
    NodeDigest digest;
    for (int i = 0; !over; ++i) {
      digest.role = std::to_string(i);
      pair.b->set_digest(digest);
      (void)pair.b->status();
      (void)pair.b->answer("{}", "");
    }
  });
  pair.plan.count = 20;
  ProbeRun run(pair.fabric.node("a"), pair.channel, pair.peer, pair.plan);
  // The fabric's time waits for what is under way, and else creeps: no timeout can come from a slow machine.
  while (run.step(0)) {
    std::this_thread::yield();
    const auto next = pair.fabric.next_ns();
    pair.fabric.advance(next ? *next - pair.fabric.now_ns() : 1'000);
  }
  over = true;
  EXPECT_EQ(run.result().sent, 20U);
}

}  // namespace
}  // namespace roceready::probes

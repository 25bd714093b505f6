// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tests/probes/asking.h"
#include "tests/probes/hanging.h"
#include "tests/probes/pair.h"

namespace roceready::probes {
namespace {

using Clock = std::chrono::steady_clock;

/// A pair whose responder's driver can hang.
struct Hanging : Pair {
  HangingVerbs node{fabric.node("b")};
  Hanging() {
    plan.secret = secret_of("one secret of the fabric, long enough");
    ResponderOptions options;
    options.labels.node = "b";
    options.secret = plan.secret;
    b = std::make_unique<Responder>(node, options);
    channel.peers[peer.text()] = b.get();
  }
  ~Hanging() { b.reset(); }  // before its verbs
  std::variant<SessionReply, SessionRefusal> ask() {
    SessionRequest request = asked_by("10.0.0.1");
    return b->answer(encode_request(request, plan.secret), "10.0.0.1");
  }
};

TEST(Responder, whose_engine_a_driver_holds_up_refuses_sessions_and_tells_what_it_knew) {
  Hanging pair;
  EXPECT_FALSE(pair.run().error);
  const auto before = pair.b->arrivals();
  ASSERT_EQ(before.size(), 1U);
  ASSERT_EQ(pair.b->status().open_ports, 1U);
  pair.fabric.change_address("b", "mlx5_0", "10.0.0.77");  // the engine asks the port for its addresses
  pair.fabric.advance(10'000'000);
  pair.node.facts.close();
  std::jthread engine([&] { pair.b->step(0); });
  pair.node.facts.await(1);
  const auto began = Clock::now();
  NodeDigest digest;
  digest.role = "another";
  pair.b->set_digest(digest);
  EXPECT_LT(Clock::now() - began, std::chrono::milliseconds(150)) << "the sampler waits for nobody";
  for (int i = 0; i < 50; ++i) {
    const auto answer = pair.ask();
    ASSERT_TRUE(std::holds_alternative<SessionRefusal>(answer));
    EXPECT_EQ(std::get<SessionRefusal>(answer).http_status, 503);
    EXPECT_NE(std::get<SessionRefusal>(answer).why.find("held up"), std::string::npos);
  }
  const auto during = pair.b->arrivals();
  ASSERT_EQ(during.size(), 1U);
  EXPECT_EQ(during[0].packets, before[0].packets);
  EXPECT_EQ(pair.b->status().open_ports, 1U);
  EXPECT_EQ(pair.b->status().denied, 50U);
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(10)) << "once it is known nobody waits any more";
  pair.node.facts.open();
  engine.join();
  pair.fabric.advance(11'000'000'000);
  pair.b->step(0);
  SessionRequest request = asked_by("10.0.0.1");
  const auto answer = pair.b->answer(encode_request(request, pair.plan.secret), "10.0.0.1");
  ASSERT_TRUE(std::holds_alternative<SessionReply>(answer));
  EXPECT_EQ(decode_answer(std::get<SessionReply>(answer).body, pair.plan.secret, request)->digest.role, "another");
}

TEST(Responder, enters_no_session_of_a_port_that_went_while_it_was_made) {
  Hanging pair;
  EXPECT_FALSE(pair.run().error);
  pair.node.connections.close();
  std::optional<std::variant<SessionReply, SessionRefusal>> answer;
  std::jthread worker([&] {
    SessionRequest request = asked_by("10.0.0.1");
    request.kind = ProbeKind::RcWrite;
    answer = pair.b->answer(encode_request(request, pair.plan.secret), "10.0.0.1");
  });
  pair.node.connections.await(1);
  pair.fabric.remove_device("b", "mlx5_0");
  pair.fabric.advance(10'000'000);
  pair.b->step(0);
  EXPECT_EQ(pair.b->status().open_ports, 0U);
  pair.node.connections.open();
  worker.join();
  ASSERT_TRUE(std::holds_alternative<SessionRefusal>(*answer));
  EXPECT_EQ(pair.b->status().sessions, 0U);
  EXPECT_EQ(pair.fabric.open_objects(), 0) << "the removal waits for this";
}

TEST(Responder, lets_few_threads_at_a_time_into_a_driver_that_hangs) {
  Hanging pair;
  pair.node.lists.close();
  std::atomic<int> refused = 0, accepted = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 12; ++i)
    workers.emplace_back([&] { ++(std::holds_alternative<SessionReply>(pair.ask()) ? accepted : refused); });
  pair.node.lists.await(1);
  const auto began = Clock::now();
  while (refused < 8 && Clock::now() - began < std::chrono::seconds(30))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(refused, 8) << "they serve others meanwhile";
  pair.b->step(0);  // what runs goes on
  pair.node.lists.open();
  workers.clear();
  EXPECT_EQ(accepted, 4);
}

}  // namespace
}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_responder.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "probes/cm_message.h"
#include "probes/cm_prober.h"
#include "tests/doubles/fake_manager.h"
#include "tests/probes/asking.h"
#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

using Kind = cm::Outcome::Kind;
const verbs::Gid kOwn = *verbs::parse_address("10.0.0.2"), kOther = *verbs::parse_address("10.0.0.3");

struct Answered : testing::Test {
  Answered() {
    for (const char* address : {"10.0.0.2", "10.0.0.3"}) {
      doubles::FakePortSetup setup;
      setup.device = std::string("mlx5_") + address[7];
      setup.addresses = {address};
      fabric.add_port("b", setup);
    }
    ports[kOwn] = open("mlx5_2");
    ports[kOther] = open("mlx5_3");
    manager.serve = [this] { responder.step(); };
    key.fill(std::byte{9});
  }
  std::shared_ptr<verbs::Port> open(const std::string& device) {
    return std::move(*fabric.node("b").open({device, 1}));
  }
  CmPlace place(const verbs::Gid& own) { return {own, ports[own], {}, closing[own].get_token()}; }
  std::uint16_t offered(std::uint64_t session, const verbs::Gid& own = kOwn) {
    const CmOffer offered = responder.offer(place(own), session, key, fabric.now_ns() + 3600 * kSecond);
    EXPECT_TRUE(offered.service);
    return offered.service.value_or(0);
  }
  cm::Outcome call(std::uint16_t service, const CmMessage& message, const verbs::Gid& to = kOwn) {
    const auto told = encode(message, key);
    return manager.call({kOther, to, service, 0, {told.begin(), told.end()}, {}, 1}, {});
  }
  /// Whether the request is refused with a word that the session's key signs.
  bool is_refused_by_us(std::uint16_t service, const CmMessage& message) {
    const cm::Outcome said = call(service, message);
    EXPECT_EQ(said.kind, Kind::Refused);
    return is_refusal(said.told, message.session, message.attempt, key);
  }
  CmOffer offer(std::uint64_t session) {
    return responder.offer(place(kOwn), session, key, fabric.now_ns() + 3600 * kSecond);
  }
  cm::Outcome strangers_call(std::uint16_t service) { return manager.call({kOther, kOwn, service, 0, {}, {}, 1}, {}); }
  void wait(std::int64_t seconds) {
    for (std::int64_t k = 0; k < seconds; ++k) fabric.advance(kSecond), responder.step();
  }
  doubles::FakeFabric fabric;
  std::map<verbs::Gid, std::shared_ptr<verbs::Port>> ports;
  std::map<verbs::Gid, std::stop_source> closing;
  doubles::FakeManager manager;
  Budget budget{BudgetLimits{}};
  CmResponder responder{manager, fabric.node("b"), &budget};
  SessionKey key{};
};

TEST_F(Answered, accepts_a_session_and_proves_that_it_knows_it) {
  const std::uint16_t service = offered(7);
  const cm::Outcome said = call(service, {CmMessageType::Request, 7, 1});
  ASSERT_EQ(said.kind, Kind::Connected);
  EXPECT_EQ(decode_cm(said.told, key), (CmMessage{CmMessageType::Acceptance, 7, 1}));
  EXPECT_EQ(responder.status().accepted, 1U);
  EXPECT_EQ(responder.status().refused, 0U);
  EXPECT_EQ(responder.status().listeners, 1U);
}

TEST_F(Answered, refuses_strangers_replays_and_forgeries) {
  const std::uint16_t service = offered(7);
  ASSERT_EQ(call(service, {CmMessageType::Request, 7, 5}).kind, Kind::Connected);
  fabric.advance(11 * kSecond);
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 7, 5})) << "replayed";
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 7, 4})) << "older";
  EXPECT_FALSE(is_refused_by_us(service, {CmMessageType::Request, 8, 6})) << "no session";
  EXPECT_FALSE(is_refused_by_us(service, {CmMessageType::Acceptance, 7, 6})) << "an answer";
  EXPECT_EQ(strangers_call(service).told, std::vector<std::byte>(148)) << "nothing said";
  manager.on_the_way = [](std::vector<std::byte>& told) { told[20] ^= std::byte{1}; };
  EXPECT_FALSE(is_refused_by_us(service, {CmMessageType::Request, 7, 6})) << "changed";
  EXPECT_EQ(responder.status().refused, 6U);
  EXPECT_EQ(responder.status().accepted, 1U);
}

TEST_F(Answered, accepts_a_session_at_its_own_address_only) {
  const std::uint16_t first = offered(7), second = offered(8, kOther);
  EXPECT_NE(first, second);
  EXPECT_EQ(call(second, {CmMessageType::Request, 7, 1}, kOther).kind, Kind::Refused);
  EXPECT_EQ(call(second, {CmMessageType::Request, 8, 1}, kOther).kind, Kind::Connected);
}

TEST_F(Answered, refuses_a_session_that_is_forgotten_or_over) {
  const std::uint16_t service = offered(7);
  (void)offered(9);
  responder.forget(7);
  EXPECT_EQ(call(service, {CmMessageType::Request, 7, 1}).kind, Kind::Refused);
  EXPECT_EQ(call(service, {CmMessageType::Request, 9, 1}).kind, Kind::Connected);
  fabric.advance(3601 * kSecond);
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 9, 2}));
  EXPECT_EQ(responder.status().sessions, 0U);
}

TEST_F(Answered, shares_a_listener_and_closes_it_half_a_minute_after_the_last_session) {
  const std::uint16_t service = offered(7);
  EXPECT_EQ(offered(8), service);
  EXPECT_EQ(manager.opened[kOwn], 1U);
  wait(60);
  EXPECT_EQ(manager.open_now, 1U);
  responder.forget(7);
  responder.forget(8);
  wait(20);
  EXPECT_EQ(manager.open_now, 1U);
  wait(20);
  EXPECT_EQ(manager.open_now, 0U);
  EXPECT_EQ(responder.status().listeners, 0U);
}

TEST_F(Answered, listens_again_on_the_number_that_peers_know) {
  const std::uint16_t service = offered(7);
  manager.listeners_break = true;
  wait(3);
  EXPECT_EQ(manager.open_now, 0U);
  EXPECT_NE(responder.status().problem.find("the device has gone"), std::string::npos);
  manager.listeners_break = false;
  wait(3);
  EXPECT_EQ(manager.open_now, 1U);
  EXPECT_EQ(responder.status().problem, "");
  EXPECT_EQ(call(service, {CmMessageType::Request, 7, 1}).kind, Kind::Connected);
}

TEST_F(Answered, offers_nothing_where_it_cannot_listen_and_says_why) {
  manager.listening_fails = Error{ErrorCode::NotSupported, "rdma_ucm is not loaded", "", 0};
  const CmOffer offered = offer(7);
  EXPECT_FALSE(offered.service);
  EXPECT_FALSE(offered.not_now) << "nobody need ask soon";
  EXPECT_EQ(responder.status().problem, "rdma_ucm is not loaded");
  EXPECT_EQ(responder.status().sessions, 0U);
  manager.listening_fails = os_error(EADDRNOTAVAIL, "cannot bind to the address", "10.0.0.2");
  EXPECT_FALSE(offer(7).service);
  EXPECT_TRUE(offer(7).not_now) << "as after a reset of the port";
  manager.listening_fails.reset();
  EXPECT_TRUE(offer(7).service);
}

TEST_F(Answered, offers_nothing_while_its_listener_is_dead) {
  (void)offered(7);
  manager.listeners_break = true;
  responder.step();
  EXPECT_EQ(manager.open_now, 0U);
  manager.listening_fails = Error{ErrorCode::NotFound, "no such address", "", 0};
  EXPECT_FALSE(offer(8).service);
  EXPECT_TRUE(offer(8).not_now);
  fabric.advance(2 * kSecond);
  EXPECT_FALSE(offer(8).service);
  manager.listeners_break = false;
  manager.listening_fails.reset();
  fabric.advance(2 * kSecond);
  EXPECT_TRUE(offer(8).service);
  EXPECT_EQ(manager.open_now, 1U);
}

TEST_F(Answered, takes_another_number_only_once_no_session_knows_its_own) {
  const std::uint16_t service = offered(7);
  manager.listeners_break = true;
  responder.step();
  manager.listeners_break = false;
  manager.taken = {service};
  wait(5);
  EXPECT_EQ(manager.open_now, 0U) << "session 7 calls that number for as long as it lasts";
  EXPECT_FALSE(offer(8).service);
  EXPECT_TRUE(offer(8).not_now);
  responder.forget(7);
  wait(2);
  EXPECT_EQ(manager.open_now, 1U);
  EXPECT_NE(offered(8), service);
}

TEST_F(Answered, accepts_a_session_once_in_ten_seconds) {
  const std::uint16_t service = offered(7);
  (void)offered(8);
  ASSERT_EQ(call(service, {CmMessageType::Request, 7, 1}).kind, Kind::Connected);
  fabric.advance(9 * kSecond);
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 7, 2}));
  EXPECT_EQ(call(service, {CmMessageType::Request, 8, 1}).kind, Kind::Connected) << "another session";
  fabric.advance(kSecond);
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 7, 2})) << "refused before";
  EXPECT_EQ(call(service, {CmMessageType::Request, 7, 3}).kind, Kind::Connected);
  EXPECT_EQ(responder.status().accepted, 3U);
  EXPECT_EQ(responder.status().refused, 2U);
}

TEST_F(Answered, refuses_and_counts_a_session_for_which_there_is_no_room) {
  const std::uint16_t service = offered(7);
  manager.listeners_full = true;
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 7, 1}));
  EXPECT_EQ(responder.status().refused, 1U);
  EXPECT_EQ(responder.status().accepted, 0U);
  manager.listeners_full = false;
  EXPECT_EQ(call(service, {CmMessageType::Request, 7, 2}).kind, Kind::Connected) << "it has had none";
}

TEST_F(Answered, accepts_each_with_a_queue_pair_of_its_own) {
  const int before = fabric.open_objects();
  const std::uint16_t service = offered(7);
  ASSERT_EQ(call(service, {CmMessageType::Request, 7, 1}).kind, Kind::Connected);
  fabric.advance(10 * kSecond);
  ASSERT_EQ(call(service, {CmMessageType::Request, 7, 2}).kind, Kind::Connected);
  ASSERT_EQ(manager.accepted_with.size(), 2U);
  EXPECT_NE(manager.accepted_with[0], manager.accepted_with[1]);
  EXPECT_NE(manager.accepted_with[0], 0U);
  EXPECT_GT(fabric.open_objects(), before);
  EXPECT_EQ(strangers_call(service).kind, Kind::Refused);
  EXPECT_EQ(manager.accepted_with.size(), 2U);
}

TEST_F(Answered, refuses_where_no_queue_pair_can_be_made) {
  const std::uint16_t service = offered(7);
  fabric.kill_port("b", "mlx5_2", verbs::EventKind::DeviceFatal);
  EXPECT_TRUE(is_refused_by_us(service, {CmMessageType::Request, 7, 1}));
  EXPECT_NE(responder.status().problem, "");
  EXPECT_EQ(responder.status().accepted, 0U);
}

TEST_F(Answered, lets_the_port_go_with_all_its_queue_pairs_when_it_is_closed) {
  const int before = fabric.open_objects();
  const std::uint16_t service = offered(7);
  ASSERT_EQ(call(service, {CmMessageType::Request, 7, 1}).kind, Kind::Connected);
  closing[kOwn].request_stop();
  responder.step();
  EXPECT_EQ(manager.open_now, 0U);
  EXPECT_EQ(fabric.open_objects(), before);
  EXPECT_FALSE(offer(8).service) << "a port that goes";
}

TEST_F(Answered, listens_at_a_port_that_is_back) {
  (void)offered(7);
  closing[kOwn].request_stop();
  closing[kOwn] = {};
  ports[kOwn] = open("mlx5_2");
  const std::uint16_t service = offered(8);
  EXPECT_EQ(manager.opened[kOwn], 2U);
  EXPECT_EQ(call(service, {CmMessageType::Request, 8, 1}).kind, Kind::Connected);
}

TEST_F(Answered, hears_a_session_among_any_number_of_strangers_and_books_nothing_of_those) {
  const std::uint16_t service = offered(7);
  for (int k = 0; k < 300; ++k) EXPECT_EQ(strangers_call(service).kind, Kind::Refused);
  EXPECT_EQ(responder.status().refused, 300U);
  EXPECT_EQ(budget.spent().messages, 0U);
  EXPECT_EQ(call(service, {CmMessageType::Request, 7, 1}).kind, Kind::Connected);
  EXPECT_GT(budget.spent().messages, 0U);
  EXPECT_EQ(responder.status().refused, 300U);
}

TEST_F(Answered, has_a_thread_only_once_somebody_may_connect) {
  responder.begin();
  EXPECT_EQ(responder.status().threads, 0U);
  (void)offered(7);
  EXPECT_EQ(responder.status().threads, 1U);
  responder.end();
  EXPECT_EQ(responder.status().threads, 0U);
}

/// A mesh whose peer takes connections, and what makes them.
struct Connecting : World {
  doubles::FakeManager manager;
  Budget budget{BudgetLimits{}};
  CmProber prober{manager, fabric.node("a"), budget};
  Connecting() : World(1) {
    ResponderOptions wanted;
    wanted.secret = secret;
    wanted.labels.node = "peer0";
    wanted.manager = &manager;
    restart(wanted);
    manager.serve = [this] { responders.at("peer0")->step_connections(); };
  }
  ~Connecting() {  // before the manager
    mesh.reset();
    responders.clear();
  }
  void restart(const ResponderOptions& wanted) {
    channel.peers["peer0:9885"] = nullptr;
    responders["peer0"] = std::make_unique<Responder>(fabric.node("peer0"), wanted);
    channel.peers["peer0:9885"] = responders["peer0"].get();
  }
  PeerProbe connect() {
    prober.set_targets(mesh->cm_targets());
    while (prober.step({})) {
    }
    return prober.results().at(0);
  }
};

TEST(Connections, go_with_the_sessions_of_a_mesh) {
  Connecting world;
  world.begin();
  world.run(2 * kSecond);
  const PeerProbe known = world.connect();
  EXPECT_EQ(known.sent, 1U) << (known.error ? *known.error : known.error.absent().detail);
  EXPECT_EQ(known.lost, 0U);
  EXPECT_EQ(known.peer, "peer0:9885");
  EXPECT_EQ(known.address, "10.0.0.10");
  EXPECT_EQ(world.responders["peer0"]->status().connections.accepted, 1U);
  ASSERT_EQ(world.manager.calls.size(), 1U);
  EXPECT_EQ(world.manager.calls[0].from, *verbs::parse_address("10.0.0.1"));
  for (const PeerProbe& each : world.mesh->facts().peers) EXPECT_NE(each.kind, kCmKind);
}

TEST(Connections, are_not_offered_by_a_peer_without_a_connection_manager) {
  Connecting world;
  ResponderOptions old;
  old.secret = world.secret;
  old.labels.node = "peer0";
  world.restart(old);
  world.begin();
  world.run(2 * kSecond);
  const PeerProbe known = world.connect();
  EXPECT_TRUE(world.manager.calls.empty());
  EXPECT_EQ(known.error.absent().why, Why::NotSupported);
}

TEST(Connections, are_for_meshes_that_know_the_secret_alone) {
  Connecting world;
  const auto service_of = [&](bool on_demand, ProbeKind kind) {
    SessionRequest request = asked_by("10.0.0.1");
    request.on_demand = on_demand;
    request.kind = kind;
    const auto said = world.responders["peer0"]->answer(encode_request(request, world.secret), "");
    const auto* reply = std::get_if<SessionReply>(&said);
    EXPECT_NE(reply, nullptr);
    const auto answer = decode_answer(reply->body, world.secret, request);
    EXPECT_TRUE(answer) << answer.error().text();
    return answer->cm_service;
  };
  EXPECT_TRUE(service_of(false, ProbeKind::Ud));
  EXPECT_FALSE(service_of(true, ProbeKind::Ud));
  EXPECT_FALSE(service_of(false, ProbeKind::RcWrite));
}

TEST(Connections, that_cannot_be_offered_just_now_make_for_a_short_session) {
  Connecting world;
  const auto granted = [&] {
    SessionRequest request = asked_by("10.0.0.1");
    request.on_demand = false;
    request.seconds = 3600;
    const auto said = world.responders["peer0"]->answer(encode_request(request, world.secret), "");
    const auto* reply = std::get_if<SessionReply>(&said);
    EXPECT_NE(reply, nullptr);
    const auto answer = decode_answer(reply->body, world.secret, request);
    EXPECT_TRUE(answer) << answer.error().text();
    return std::pair{answer->seconds, answer->cm_service.has_value()};
  };
  world.manager.listening_fails = os_error(EADDRNOTAVAIL, "cannot bind to the address", "10.0.0.10");
  EXPECT_EQ(granted(), (std::pair{60U, false}));
  world.manager.listening_fails = Error{ErrorCode::NotSupported, "rdma_ucm is not loaded", "", 0};
  EXPECT_EQ(granted(), (std::pair{3600U, false}));
  world.manager.listening_fails.reset();
  EXPECT_EQ(granted(), (std::pair{3600U, true}));
}

TEST(Connections, end_with_their_session) {
  Connecting world;
  world.begin();
  world.run(2 * kSecond);
  EXPECT_EQ(world.connect().sent, 1U);
  EXPECT_EQ(world.responders["peer0"]->status().connections.sessions, 1U);
  world.mesh.reset();
  for (int k = 0; k < 200; ++k) world.fabric.advance(kSecond), world.responders["peer0"]->step(0);
  EXPECT_EQ(world.responders["peer0"]->status().connections.sessions, 0U);
}

}  // namespace
}  // namespace roceready::probes

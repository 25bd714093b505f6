// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "core/snapshot/probe_json.h"
#include "tests/probes/hanging.h"
#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

TEST(Mesh, says_why_a_port_cannot_probe) {
  doubles::FakePortSetup own;
  own.addresses = {};
  World world(1, own);
  world.begin();
  world.run(kSecond);
  const ProbeFacts facts = world.mesh->facts();
  EXPECT_TRUE(facts.peers.empty());
  ASSERT_TRUE(facts.blocked.contains("mlx5_0/1"));
  EXPECT_NE(facts.blocked.at("mlx5_0/1").find("no RoCE v2 GID"), std::string::npos);
}

TEST(Mesh, refuses_a_peer_that_is_itself) {
  World world(1);
  ResponderOptions own;
  own.secret = world.secret;
  Responder self(world.fabric.node("a"), own);
  world.channel.peers["me:9885"] = &self;
  world.peers.push_back({"me", 9885, "", ""});
  world.begin();
  world.run(5 * kSecond);
  EXPECT_EQ(world.of("me").sent, 0U);
  ASSERT_TRUE(world.of("me").error);
  EXPECT_NE(world.of("me").error->find("own address"), std::string::npos);
  EXPECT_GT(world.of("peer0").sent, 3U);
}

TEST(Mesh, without_the_peers_secret_says_so) {
  World world(1);
  world.options.secret = secret_of("not the secret of that fabric, but long");
  world.begin();
  world.run(5 * kSecond);
  EXPECT_EQ(world.of("peer0").sent, 0U);
  EXPECT_TRUE(world.of("peer0").error);
  EXPECT_TRUE(*world.of("peer0").control_answers);
}

/// The fabric carries nothing to the first peer.
doubles::FabricRule silence() {
  doubles::FabricRule out;
  out.to = "10.0.0.10";
  out.loss = 1;
  return out;
}

TEST(Mesh, does_not_take_an_answer_from_before_the_silence_for_one_that_came_in_it) {
  for (const bool hangs : {true, false}) {
    World world;
    world.options.connected = {ProbeKind::RcWrite};
    world.begin();
    world.run(10 * kSecond);
    ASSERT_TRUE(*world.of("peer0").control_answers);
    // The host dies: neither its data path nor its agent answers.
    world.fabric.add_rule(silence());
    if (hangs)
      world.fetchers_run = false;
    else
      world.channel.peers.erase("peer0:9885");
    bool silent = false;
    for (int i = 0; i < 200; ++i) {
      world.run(100 * kMs);
      silent = silent || world.of("peer0").lost_in_row >= 3;
      if (world.of("peer0").lost_in_row == 0) continue;
      for (const char* kind : {"ud", "rc-write"})
        EXPECT_FALSE(world.of("peer0", kind).control_answers.value_or(false)) << kind;
    }
    EXPECT_TRUE(silent);
    const auto known = world.of("peer0").control_answers;
    EXPECT_EQ(known.has_value(), !hangs) << "a question that hangs has no answer";
    EXPECT_TRUE(*world.of("peer1").control_answers);
  }
}

TEST(Mesh, does_not_say_of_a_peer_that_restarts_that_its_host_is_up_and_its_path_is_not) {
  World world;
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = 2 * kSecond;
  world.begin();
  world.run(10 * kSecond);
  // Down for longer than three timeouts.
  world.responders.erase("peer0");
  world.channel.peers.erase("peer0:9885");
  world.run(6 * kSecond);
  ASSERT_GE(world.of("peer0").lost_in_row, 3U);
  EXPECT_FALSE(*world.of("peer0").control_answers);
  world.start("peer0");
  for (int i = 0; i < 4000 && world.of("peer0").lost_in_row > 0; ++i) {
    world.run(10 * kMs);
    for (const char* kind : {"ud", "rc-write"}) {
      const PeerProbe peer = world.of("peer0", kind);
      EXPECT_FALSE(peer.lost_in_row >= 3 && peer.control_answers.value_or(false)) << kind;
    }
  }
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_TRUE(*world.of("peer0").control_answers);
  // A path that is dead is said to be so.
  world.fabric.add_rule(silence());
  world.run(20 * kSecond);
  EXPECT_GE(world.of("peer0").lost_in_row, 3U);
  EXPECT_TRUE(world.of("peer0").control_answers.value_or(false));
}

TEST(Mesh, knows_anew_that_the_peer_answers_when_one_loss_was_all) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  const int rule = world.fabric.add_rule(silence());
  while (world.of("peer0").lost_in_row == 0) world.run(100 * kMs);
  EXPECT_FALSE(world.of("peer0").control_answers);
  world.fabric.remove_rule(rule);
  world.run(2 * kSecond);
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_TRUE(*world.of("peer0").control_answers);
}

TEST(Mesh, counts_no_loss_of_a_peer_that_answers_over_HTTP_but_serves_no_probes) {
  World world;
  const Error none{ErrorCode::NotSupported, "the peer answers no probes: HTTP status 404", "", 0};
  world.channel.says.emplace("peer0:9885", none);
  world.begin();
  world.run(10 * kSecond);
  EXPECT_EQ(world.of("peer0").sent, 0U);
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_TRUE(*world.of("peer0").control_answers);
  EXPECT_NE(world.of("peer0").error->find("answers no probes"), std::string::npos);
}

TEST(Mesh, stops_probing_a_peer_that_serves_no_probes_any_more) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  // Its agent restarts without probes: at first nothing answers, then HTTP does.
  world.responders.erase("peer0");
  world.channel.peers.erase("peer0:9885");
  world.run(5 * kSecond);
  EXPECT_GE(world.of("peer0").lost_in_row, 3U);
  const Error none{ErrorCode::NotSupported, "the peer answers no probes: HTTP status 404", "", 0};
  world.channel.says.emplace("peer0:9885", none);
  world.run(30 * kSecond);
  const PeerProbe after = world.of("peer0");
  EXPECT_TRUE(*after.control_answers);
  EXPECT_EQ(after.lost_in_row, 0U);
  world.run(10 * kSecond);
  EXPECT_EQ(world.of("peer0").total_sent, after.total_sent) << "without a session no probe is sent";
}

TEST(Mesh, waits_for_answers_as_long_as_it_is_told) {
  for (const bool patient : {true, false}) {
    World world(1);
    doubles::FabricRule slow;
    slow.delay_ns = 30 * kMs;
    world.fabric.add_rule(slow);
    world.options.timeout_ns = patient ? 100 * kMs : 40 * kMs;
    world.begin();
    world.run(10 * kSecond);
    const PeerProbe peer = world.of("peer0");
    EXPECT_GT(peer.sent, 10U);
    EXPECT_EQ(peer.lost, patient ? 0U : peer.sent);
  }
}

TEST(Mesh, keeps_to_its_budget_and_calls_the_rest_not_sent) {
  World world(4);
  world.options.budget = std::make_shared<Budget>(BudgetLimits{.messages_per_second = 4});
  world.begin();
  world.run(30 * kSecond);
  std::uint64_t sent = 0, not_sent = 0;
  for (const PeerProbe& peer : world.mesh->facts().peers) sent += peer.sent + peer.mtu_sent, not_sent += peer.not_sent;
  EXPECT_LE(sent, 4U * 30 + 4);
  EXPECT_GT(sent, 60U);
  EXPECT_GT(not_sent, 60U);
}

TEST(Mesh, sends_to_a_port_of_a_peer_so_often_from_all_ports_and_by_all_kinds_together) {
  World world(2);
  world.options.budget = std::make_shared<Budget>(BudgetLimits{.per_target_per_second = 3});
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = kSecond;
  doubles::FakePortSetup second;
  second.device = "mlx5_1";
  second.addresses = {"10.0.0.2"};
  world.fabric.add_port("a", second);
  world.begin();
  world.run(30 * kSecond);
  // Asked for: two datagrams and one request a second from each of two ports, 6 a second.
  std::map<std::string, std::uint64_t> sent, not_sent;
  for (const PeerProbe& each : world.mesh->facts().peers) {
    sent[each.peer] += each.total_sent + each.mtu_sent;
    not_sent[each.peer] += each.not_sent;
  }
  for (const char* peer : {"peer0:9885", "peer1:9885"}) {
    EXPECT_LE(sent[peer], 3U * 30 + 3);
    EXPECT_GE(sent[peer], 60U) << "each peer has its own";
    EXPECT_GT(not_sent[peer], 20U);
  }
}

TEST(Mesh, answers_its_peers_before_it_probes_them) {
  // "a" may send 40 messages a second. Its own four peers would take 8, two more nodes want 80 in answers.
  World world(4);
  world.options.budget = std::make_shared<Budget>(BudgetLimits{.messages_per_second = 40});
  ResponderOptions answers;
  answers.secret = world.secret;
  answers.labels.node = "a";
  answers.budget = world.options.budget;
  world.responders["a"] = std::make_unique<Responder>(world.fabric.node("a"), answers);
  world.channel.peers["a:9885"] = world.responders["a"].get();
  std::vector<std::unique_ptr<Mesh>> others;
  for (int i = 0; i < 2; ++i) {
    doubles::FakePortSetup setup;
    setup.addresses = {"10.0.1." + std::to_string(10 + i)};
    const std::string name = "prober" + std::to_string(i);
    world.fabric.add_port(name, setup);
    MeshOptions options;
    options.secret = world.secret;
    options.labels.node = name;
    options.interval_ns = kSecond / 10;  // 10 a second: 20 messages of answers
    others.push_back(std::make_unique<Mesh>(world.fabric.node(name), world.channel, options));
    others.back()->set_peers({{"a", 9885, "", ""}});
  }
  world.begin();
  const std::int64_t began_ns = world.fabric.now_ns();
  while (world.fabric.now_ns() - began_ns < 30 * kSecond) {
    for (auto& other : others) other->step(0), (void)other->fetch_one();
    world.run(kMs);
  }
  for (auto& other : others) EXPECT_EQ(other->facts().peers.at(0).total_lost, 0U) << "no false loss at those who ask";
  std::uint64_t sent = 0, not_sent = 0;
  for (const PeerProbe& peer : world.mesh->facts().peers) sent += peer.total_sent, not_sent += peer.not_sent;
  EXPECT_GT(not_sent, 50U) << "own probes gave way";
  EXPECT_LE(world.options.budget->spent().messages, 40U * 30 + 8) << "what was answered is in it";
  EXPECT_GT(world.options.budget->spent().messages, 40U * 25);
  EXPECT_LT(sent, 30U * 8);
}

TEST(Mesh, is_answered_whatever_somebody_probes_on_demand) {
  World world(1);
  ResponderOptions answers;
  answers.secret = world.secret;
  answers.labels.node = "peer0";
  answers.budget = std::make_shared<Budget>(BudgetLimits{.messages_per_second = 200, .bytes_per_second = 100'000});
  world.responders["peer0"] = std::make_unique<Responder>(world.fabric.node("peer0"), answers);
  world.channel.peers["peer0:9885"] = world.responders["peer0"].get();
  doubles::FakePortSetup setup;
  setup.addresses = {"10.0.2.1"};
  world.fabric.add_port("person", setup);
  world.begin();
  world.run(3 * kSecond);
  std::uint64_t lost = 0;
  for (int i = 0; i < 3; ++i) {
    ProbePlan plan;
    plan.secret = world.secret;
    plan.labels.node = "person";
    plan.size = 4096;
    plan.count = 100;
    ProbeRun run(world.fabric.node("person"), world.channel, world.peers[0], plan);
    while (run.step(0)) world.run(100'000);
    lost += run.result().lost;
  }
  EXPECT_EQ(lost, 0U) << "who keeps to what was granted is answered";
  EXPECT_EQ(world.of("peer0").total_lost, 0U);
  EXPECT_GT(world.of("peer0").total_sent, 20U);
}

TEST(Mesh, probes_a_peer_of_a_labelled_rail_from_the_port_on_that_rail) {
  World world(2);
  doubles::FakePortSetup second;
  second.device = "mlx5_1";
  second.addresses = {"10.0.0.2"};
  world.fabric.add_port("a", second);
  world.options.labels.rails = {{"mlx5_0/1", "left"}, {"mlx5_1/1", "right"}};
  world.peers[0].rail = "right";
  world.peers[1].rail = "of somebody else's naming";
  world.begin();
  world.run(5 * kSecond);
  std::multiset<std::string> links;
  for (const PeerProbe& each : world.mesh->facts().peers) links.insert(each.device + " " + each.peer);
  EXPECT_EQ(links, (std::multiset<std::string>{"mlx5_0 peer1:9885", "mlx5_1 peer0:9885", "mlx5_1 peer1:9885"}));
  world.peers[0].rail = "left";
  world.mesh->set_peers(world.peers);
  world.run(5 * kSecond);
  links.clear();
  for (const PeerProbe& each : world.mesh->facts().peers) links.insert(each.device + " " + each.peer);
  EXPECT_EQ(links, (std::multiset<std::string>{"mlx5_0 peer0:9885", "mlx5_0 peer1:9885", "mlx5_1 peer1:9885"}));
}

TEST(Mesh, without_rails_of_its_own_asks_for_the_peers_port_on_the_labelled_rail) {
  World world(1);
  doubles::FakePortSetup second;
  second.device = "mlx5_1";
  second.addresses = {"10.9.0.10"};  // by the subnet it would be the first
  world.fabric.add_port("peer0", second);
  ResponderOptions wanted;
  wanted.secret = world.secret;
  wanted.labels.node = "peer0";
  wanted.labels.rails = {{"mlx5_0/1", "left"}, {"mlx5_1/1", "right"}};
  world.responders["peer0"] = std::make_unique<Responder>(world.fabric.node("peer0"), wanted);
  world.channel.peers["peer0:9885"] = world.responders["peer0"].get();
  world.peers[0].rail = "right";
  world.begin();
  world.run(5 * kSecond);
  EXPECT_EQ(world.of("peer0").peer_device, "mlx5_1");
}

TEST(Mesh, that_takes_no_turn_any_more_says_the_same_for_ever) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  const std::string before = probe_facts_json(world.mesh->facts());
  EXPECT_NEAR(world.mesh->facts().running_seconds, 10, 0.1);
  world.fabric.advance(60 * kSecond);
  EXPECT_EQ(probe_facts_json(world.mesh->facts()), before) << "so that its silence is seen";
  world.run(kSecond);
  EXPECT_NEAR(world.mesh->facts().running_seconds, 71, 0.1);
}

TEST(PublishingPeriod, grows_with_what_publishing_costs) {
  EXPECT_EQ(publishing_period_ns(0), kSecond);
  EXPECT_EQ(publishing_period_ns(4 * kMs), kSecond);
  EXPECT_EQ(publishing_period_ns(20 * kMs), 4400 * kMs);
  EXPECT_EQ(publishing_period_ns(60 * kMs), 10 * kSecond) << "before 15 s the engine would be taken for silent";
  EXPECT_EQ(publishing_period_ns(INT64_MAX), 10 * kSecond);
}

TEST(Mesh, on_a_late_host_has_no_round_trip_times_and_no_losses) {
  World world;
  world.begin();
  world.run(20 * kSecond, 50 * kMs);
  const PeerProbe peer = world.of("peer0");
  EXPECT_EQ(peer.lost, 0U);
  EXPECT_GT(peer.late_polls, 20U);
  EXPECT_FALSE(peer.rtt);
}

TEST(Mesh, takes_a_reply_that_lay_unread_for_longer_than_the_timeout_for_no_loss) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  for (int i = 0; i < 5; ++i) {
    world.mesh->step(0);
    for (auto& [name, responder] : world.responders) world.fabric.advance(10'000), responder->step(0);
    world.fabric.advance(2 * kSecond);  // nobody polls
    world.mesh->step(2 * kSecond);
  }
  world.run(2 * kSecond);
  EXPECT_EQ(world.of("peer0").total_lost, 0U);
}

TEST(Mesh, follows_the_list_of_peers) {
  World world(3);
  const PeerAddress third = world.peers.back();
  world.peers.pop_back();
  world.begin();
  world.run(3 * kSecond);
  EXPECT_EQ(world.mesh->facts().peers.size(), 2U);
  world.mesh->set_peers({world.peers[1], third});
  world.run(3 * kSecond);
  const ProbeFacts facts = world.mesh->facts();
  ASSERT_EQ(facts.peers.size(), 2U);
  EXPECT_EQ(facts.peers[0].peer, "peer1:9885");
  EXPECT_EQ(facts.peers[1].peer, "peer2:9885");
  EXPECT_GT(facts.peers[1].sent, 2U);
  EXPECT_EQ(facts.digests.size(), 2U);
}

TEST(Mesh, probes_connections_at_a_low_rate_and_comes_back_after_a_dead_path) {
  World world(1);
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = 2 * kSecond;
  world.begin();
  world.run(20 * kSecond);
  EXPECT_GE(world.of("peer0", "rc-write").sent, 8U);
  EXPECT_EQ(world.of("peer0", "rc-write").lost, 0U);
  doubles::FabricRule dead;
  dead.loss = 1;
  const int rule = world.fabric.add_rule(dead);
  world.run(4 * kSecond);
  const PeerProbe failed = world.of("peer0", "rc-write");
  EXPECT_GE(failed.lost, 1U);
  EXPECT_NE(failed.error->find("IBV_WC_RETRY_EXC_ERR"), std::string::npos) << *failed.error;
  world.fabric.remove_rule(rule);
  world.run(45 * kSecond);
  EXPECT_EQ(world.of("peer0", "rc-write").lost_in_row, 0U);
  EXPECT_GT(world.of("peer0", "rc-write").sent, 5U);
  world.mesh.reset();
  world.responders.clear();
  EXPECT_EQ(world.fabric.open_objects(), 0);
}

TEST(Mesh, probes_rail_to_rail) {
  doubles::FakePortSetup first, second;
  first.addresses = {"10.1.0.1"};
  second.device = "mlx5_1";
  second.addresses = {"10.2.0.1"};
  World world(0, first);
  world.fabric.add_port("a", second);
  first.addresses = {"10.1.0.2"};
  second.addresses = {"10.2.0.2"};
  world.fabric.add_port("peer", first);
  world.fabric.add_port("peer", second);
  world.peers.push_back({"peer", 9885, "", ""});
  world.start("peer");
  world.begin();
  world.run(5 * kSecond);
  const ProbeFacts facts = world.mesh->facts();
  ASSERT_EQ(facts.peers.size(), 2U);
  for (const PeerProbe& each : facts.peers) EXPECT_EQ(each.device, each.peer_device);
}

TEST(Mesh, takes_no_answer_of_a_connection_for_late_because_the_host_was_busy_between_two_requests) {
  World world(1);
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = 2 * kSecond;
  world.begin();
  for (int i = 0; i < 200; ++i) {
    world.run(100 * kMs);
    world.fabric.waited("a", kMs);
  }
  const PeerProbe probe = world.of("peer0", "rc-write");
  EXPECT_GE(probe.sent, 8U);
  EXPECT_EQ(probe.late_polls, 0U) << "no request was under way when the host waited";
  EXPECT_TRUE(probe.rtt);
}

TEST(Mesh, awaits_the_completion_of_each_request_that_it_has_just_posted) {
  World world(1);
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = kSecond;
  world.begin();
  WakeSet wake;
  for (int i = 0; i < 10'000; ++i) {
    world.mesh->step_and_arm(0, wake);
    ASSERT_EQ(world.fabric.requests().unawaited, 0U);
    (void)world.mesh->fetch_one();
    world.responders["peer0"]->step(0);
    world.fabric.advance(kMs);
  }
  EXPECT_GE(world.fabric.requests().posted, 8U);
}

TEST(Mesh, tells_what_it_knew_while_a_driver_hangs) {
  World world;
  HangingVerbs node(world.fabric.node("a"));
  world.mesh = std::make_unique<Mesh>(node, world.channel, world.options);
  world.mesh->set_peers(world.peers);
  world.run(15 * kSecond);
  const ProbeFacts before = world.mesh->facts();
  ASSERT_EQ(before.peers.size(), 2U);
  node.lists.close();
  world.fabric.advance(20 * kSecond);
  std::jthread engine([&] { world.mesh->step(0); });
  node.lists.await(1);
  world.mesh->set_digest(NodeDigest{});
  world.mesh->set_peers({});
  const ProbeFacts during = world.mesh->facts();
  EXPECT_EQ(during.running_seconds, before.running_seconds);
  EXPECT_EQ(during.peers.size(), 2U);
  node.lists.open();
  engine.join();
  world.mesh->step(0);
  EXPECT_GT(world.mesh->facts().running_seconds, before.running_seconds);
  EXPECT_TRUE(world.mesh->facts().peers.empty());
}

TEST(Mesh, runs_while_other_threads_read_and_change_it) {
  World world(2);
  world.begin();
  std::jthread engine([&](const std::stop_token& stop) { world.mesh->run(stop); });
  // Until sessions stand and probes were answered: the fabric's time goes on as fast as the threads let it.
  std::uint64_t answered = 0;
  for (int i = 0; i < 1'000'000 && answered < 4; ++i) {
    for (auto& [name, responder] : world.responders) responder->step(0);
    world.fabric.advance(1'000'000);
    std::this_thread::yield();
    if (i % 64 != 0) continue;
    (void)world.mesh->facts();
    world.mesh->set_digest(NodeDigest{});
    world.mesh->set_peers(world.peers);
    answered = 0;
    for (auto& [name, responder] : world.responders) answered += responder->status().messages.answered;
  }
  EXPECT_GE(answered, 4U);
}

}  // namespace
}  // namespace roceready::probes

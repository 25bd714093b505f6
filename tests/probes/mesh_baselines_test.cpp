// SPDX-License-Identifier: Apache-2.0
// What a mesh learned of calm round trips goes on in the next one, as long as it is about the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

constexpr std::int64_t kMinute = 6 * kSecond;       // of the statistics here
constexpr std::int64_t kShown = 21 * kSecond / 10;  // until the facts show a change

NodeDigest digest_of(std::uint64_t speed, const std::string& firmware) {
  PortDigest port;
  port.device = "mlx5_0";
  port.speed_bits_per_second = speed;
  port.active_mtu = 4096;
  port.firmware = firmware;
  NodeDigest out;
  out.ports = {port};
  return out;
}

struct Learning : World {
  NodeDigest own = digest_of(100'000'000'000, "22.1");

  Learning() : World(2) {
    options.interval_ns = 200 * kMs;
    options.window.window_ns = kMinute / 3;
    for (auto& [name, responder] : responders) responder->set_digest(digest_of(100'000'000'000, "22.2"));
  }
  void begin_with(std::vector<LinkBaseline> baselines) {
    mesh = std::make_unique<Mesh>(fabric.node("a"), channel, options, std::move(baselines));
    mesh->set_digest(own);
    mesh->set_peers(peers);
  }
  /// What a first mesh learned before it ended.
  std::vector<LinkBaseline> learned() {
    begin_with({});
    run(2 * kMinute);
    auto out = mesh->baselines();
    mesh.reset();
    return out.value_or(std::vector<LinkBaseline>());
  }
  /// Whether a mesh that begins with these goes on with that of peer0.
  bool goes_on_with(const std::vector<LinkBaseline>& baselines) {
    begin_with(baselines);
    run(kSecond);
    EXPECT_FALSE(of("peer0").address.empty()) << "no session";
    return of("peer0").baseline_p50_seconds.has_value();
  }
};

TEST(MeshBaselines, go_on_in_the_next_mesh) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  ASSERT_EQ(learned.size(), 2U);
  EXPECT_EQ(learned[0].kind, "ud");
  EXPECT_EQ(learned[0].terms.own_address, "10.0.0.1");
  EXPECT_EQ(learned[0].terms.peer.firmware, "22.2");
  ASSERT_TRUE(learned[0].learned[0]);
  EXPECT_GE(learned[0].learned[0]->minutes, 1U);
  EXPECT_FALSE(learned[0].learned[1]) << "no minute was busy";
  EXPECT_FALSE(world.goes_on_with({})) << "who begins with nothing has to learn first";
  ASSERT_TRUE(world.goes_on_with(learned));
  world.run(2 * kMinute);
  const auto later = world.mesh->baselines();
  ASSERT_TRUE(later);
  ASSERT_EQ(later->size(), 2U);
  EXPECT_GT((*later)[0].learned[0]->minutes, learned[0].learned[0]->minutes);
}

TEST(MeshBaselines, tell_at_once_that_a_path_is_slower_than_before_the_restart) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  doubles::FabricRule slow;
  slow.to = "10.0.0.10";
  slow.delay_ns = 500'000;
  world.fabric.add_rule(slow);
  world.begin_with(learned);
  world.run(3 * kMinute);
  EXPECT_GE(world.of("peer0").slow_windows, 2U);
  EXPECT_EQ(world.of("peer1").slow_windows, 0U);
}

TEST(MeshBaselines, of_other_circumstances_are_not_taken) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  const MeshOptions options = world.options;
  const NodeDigest own = world.own;

  world.options.interval_ns = 300 * kMs;
  EXPECT_FALSE(world.goes_on_with(learned)) << "another interval";
  world.options = options;
  world.options.in_class.dscp = 10;
  EXPECT_FALSE(world.goes_on_with(learned)) << "another class";
  world.options = options;
  world.options.paths = 2;
  EXPECT_FALSE(world.goes_on_with(learned)) << "other paths";
  world.options = options;
  world.own = digest_of(200'000'000'000, "22.1");
  EXPECT_FALSE(world.goes_on_with(learned)) << "another speed of ours";
  world.own = digest_of(100'000'000'000, "22.7");
  EXPECT_FALSE(world.goes_on_with(learned)) << "another firmware of ours";
  world.own = own;
  EXPECT_TRUE(world.goes_on_with(learned));
  world.responders["peer0"]->set_digest(digest_of(100'000'000'000, "22.9"));
  EXPECT_FALSE(world.goes_on_with(learned)) << "another firmware of the peer's";
  EXPECT_TRUE(world.of("peer1").baseline_p50_seconds) << "which is that peer's alone";
}

TEST(MeshBaselines, of_another_address_are_not_taken) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  world.fabric.change_address("peer0", "mlx5_0", "10.0.0.77");
  world.start("peer0");
  EXPECT_FALSE(world.goes_on_with(learned));
  world.fabric.change_address("a", "mlx5_0", "10.0.0.78");
  EXPECT_FALSE(world.goes_on_with(learned));
  EXPECT_FALSE(world.of("peer1").baseline_p50_seconds);
}

TEST(MeshBaselines, begin_anew_when_a_node_tells_of_another_port_while_it_is_probed) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  world.begin_with(learned);
  world.run(kSecond);
  ASSERT_TRUE(world.of("peer0").baseline_p50_seconds);
  world.responders["peer0"]->set_digest(digest_of(25'000'000'000, "22.2"));
  bool was_forgotten = false;
  for (int i = 0; i < 150 && !was_forgotten; ++i) {
    world.run(100 * kMs);
    was_forgotten = !world.of("peer0").baseline_p50_seconds.has_value();
  }
  EXPECT_TRUE(was_forgotten);
  EXPECT_TRUE(world.of("peer1").baseline_p50_seconds);
  world.mesh->set_digest(digest_of(25'000'000'000, "22.1"));
  world.run(3 * kSecond);
  EXPECT_FALSE(world.of("peer1").baseline_p50_seconds);
}

TEST(MeshBaselines, come_back_when_a_change_is_undone) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  world.begin_with(learned);
  world.run(kSecond);
  ASSERT_TRUE(world.of("peer0").baseline_p50_seconds);
  world.mesh->set_digest(digest_of(25'000'000'000, "22.1"));
  world.run(kShown);
  EXPECT_FALSE(world.of("peer0").baseline_p50_seconds);
  world.mesh->set_digest(world.own);
  world.run(kShown);  // before a minute has passed, which would teach another
  EXPECT_TRUE(world.of("peer0").baseline_p50_seconds);
}

TEST(MeshBaselines, do_not_begin_anew_because_a_node_does_not_know_of_its_port_yet) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  for (auto& [name, responder] : world.responders) responder->set_digest({});
  const NodeDigest own = world.own;
  world.own = {};
  EXPECT_TRUE(world.goes_on_with(learned));
  world.mesh->set_digest(own);
  world.run(kShown);
  EXPECT_TRUE(world.of("peer0").baseline_p50_seconds) << "it is as it was";
  world.mesh->set_digest(digest_of(1'000'000'000, "22.1"));
  world.run(kShown);  // before a minute has passed, which would teach another
  EXPECT_FALSE(world.of("peer0").baseline_p50_seconds);
}

TEST(MeshBaselines, stay_while_a_peer_is_away) {
  Learning world;
  const std::vector<LinkBaseline> learned = world.learned();
  Responder* const peer0 = std::exchange(world.channel.peers["peer0:9885"], nullptr);
  world.begin_with(learned);
  world.run(3 * kMinute);
  auto now = world.mesh->baselines();
  ASSERT_TRUE(now);
  const auto kept = std::ranges::find(*now, "peer0:9885", &LinkBaseline::peer);
  ASSERT_NE(kept, now->end());
  const auto before = std::ranges::find(learned, "peer0:9885", &LinkBaseline::peer);
  EXPECT_EQ(*kept, *before) << "with the time when it was learned";
  world.mesh->set_peers({world.peers[1]});
  world.run(kSecond);
  world.channel.peers["peer0:9885"] = peer0;
  world.mesh->set_peers(world.peers);
  world.run(kSecond);
  EXPECT_TRUE(world.of("peer0").baseline_p50_seconds);
  world.mesh->set_peers({});
  world.run(kSecond);
  EXPECT_EQ(world.mesh->baselines()->size(), 2U);
  world.mesh->set_peers(world.peers);
  world.run(kSecond);
  EXPECT_TRUE(world.of("peer1").baseline_p50_seconds);
}

TEST(MeshBaselines, are_bounded_in_age_and_number) {
  Learning world;
  std::vector<LinkBaseline> learned = world.learned();
  for (LinkBaseline& each : learned) each.learned[0]->learned_ns -= kBaselineAgeNs + kSecond;
  EXPECT_FALSE(world.goes_on_with(learned));
  std::vector<LinkBaseline> many(kMostBaselines + 100, learned[0]);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].peer = "node" + std::to_string(i) + ":9885";
    many[i].learned[0]->learned_ns = world.fabric.now_ns();
  }
  world.begin_with(many);
  world.run(2 * kMinute);
  EXPECT_EQ(world.mesh->baselines()->size(), kMostBaselines);
}

}  // namespace
}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/mtu_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "tests/probes/hanging.h"
#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

doubles::FakePortSetup with_mtu(std::uint32_t bytes) {
  doubles::FakePortSetup out;
  out.mtu_bytes = bytes;
  return out;
}

/// A port that is watched.
struct WatchedPort : testing::Test {
  doubles::FakeFabric fabric;
  std::shared_ptr<verbs::Port> port;
  MtuWatch watch{fabric.node("a")};
  WatchedPort() {
    fabric.add_port("a", with_mtu(1024));
    port = std::move(*fabric.node("a").open({"mlx5_0", 1}));
    watch.add(port, 1024);
  }
  std::string after(std::int64_t ns) {
    fabric.advance(ns);
    watch.look();
    return watch.change_of(*port);
  }
};

TEST_F(WatchedPort, is_asked_each_four_seconds) {
  EXPECT_EQ(after(5 * kSecond), "");
  fabric.change_mtu("a", "mlx5_0", 4096);
  EXPECT_EQ(after(3 * kSecond), "");
  EXPECT_EQ(after(kSecond), "its MTU changed from 1024 to 4096 bytes");
  fabric.change_mtu("a", "mlx5_0", 1024);
  EXPECT_EQ(after(10 * kSecond), "") << "it is as it was opened";
}

TEST_F(WatchedPort, is_asked_at_once_where_it_is_suspected) {
  fabric.change_mtu("a", "mlx5_0", 512);
  watch.suspect(*port);
  EXPECT_EQ(after(0), "its MTU changed from 1024 to 512 bytes");
}

TEST_F(WatchedPort, that_answers_nothing_keeps_what_is_known) {
  fabric.change_mtu("a", "mlx5_0", 0);
  EXPECT_EQ(after(10 * kSecond), "");
  fabric.change_mtu("a", "mlx5_0", 4096);
  fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
  EXPECT_EQ(after(10 * kSecond), "") << "of a port that is down the MTU says nothing";
  fabric.kill_port("a", "mlx5_0", verbs::EventKind::DeviceFatal);
  EXPECT_EQ(after(10 * kSecond), "");
  fabric.revive_port("a", "mlx5_0");
  EXPECT_NE(after(10 * kSecond), "");
}

TEST_F(WatchedPort, is_not_kept_open_and_leaves_nothing_to_the_next) {
  fabric.change_mtu("a", "mlx5_0", 4096);
  EXPECT_NE(after(10 * kSecond), "");
  port.reset();
  EXPECT_EQ(fabric.open_objects(), 0);
  port = std::move(*fabric.node("a").open({"mlx5_0", 1}));
  watch.add(port, 4096);
  EXPECT_EQ(after(10 * kSecond), "");
}

/// A world whose tap tells how large datagrams are.
struct Sized : World {
  std::size_t largest = 0;
  explicit Sized(std::uint32_t own_mtu, int count = 2) : World(count, with_mtu(own_mtu)) {
    fabric.tap = [this](const std::vector<std::byte>& payload, std::uint8_t) {
      largest = std::max(largest, payload.size());
    };
  }
  /// Till the mesh let go of its port, and why it did.
  std::string closing(std::int64_t most_ns) {
    for (const std::int64_t until = fabric.now_ns() + most_ns; fabric.now_ns() < until; run(20 * kMs))
      if (const auto blocked = mesh->facts().blocked; !blocked.empty() && mesh->facts().peers.empty())
        return blocked.at("mlx5_0/1");
    return "";
  }
  void expect_calm_at(std::uint32_t bytes) {
    for (const char* peer : {"peer0", "peer1"}) {
      const PeerProbe seen = of(peer);
      EXPECT_EQ(seen.mtu_size, bytes) << peer;
      EXPECT_GE(seen.mtu_sent, 3U) << peer;
      EXPECT_EQ(seen.mtu_lost, 0U) << peer;
      EXPECT_EQ(seen.total_lost, 0U) << peer;
      EXPECT_FALSE(seen.error) << peer;
    }
    EXPECT_TRUE(mesh->facts().blocked.empty());
    EXPECT_EQ(largest, bytes);
  }
};

TEST(Mesh, whose_port_has_a_larger_MTU_now_probes_with_that) {
  Sized world(1024);
  world.begin();
  world.run(12 * kSecond);
  world.expect_calm_at(1024);
  world.fabric.change_mtu("a", "mlx5_0", 4096);
  EXPECT_EQ(world.closing(11 * kSecond), "its MTU changed from 1024 to 4096 bytes");
  world.run(12 * kSecond);
  world.expect_calm_at(4096);
}

TEST(Mesh, whose_port_has_a_smaller_MTU_now_does_not_take_it_for_loss_on_the_path) {
  Sized world(4096);
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = kSecond;
  world.begin();
  world.run(12 * kSecond);
  world.expect_calm_at(4096);
  world.fabric.change_mtu("a", "mlx5_0", 1024);
  EXPECT_EQ(world.closing(11 * kSecond), "its MTU changed from 4096 to 1024 bytes");
  world.largest = 0;
  world.run(12 * kSecond);
  world.expect_calm_at(1024);
  EXPECT_EQ(world.of("peer0", "rc-write").total_lost, 0U);
  EXPECT_GT(world.of("peer0", "rc-write").sent, 5U);
  world.mesh.reset();
  world.responders.clear();
  EXPECT_EQ(world.fabric.open_objects(), 0);
}

TEST(Mesh, asks_a_port_for_its_MTU_when_it_comes_up) {
  Sized world(1024);
  world.begin();
  world.run(12 * kSecond);
  world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
  world.fabric.change_mtu("a", "mlx5_0", 4096);
  EXPECT_EQ(world.closing(kSecond), "") << "it is down, and that is all there is to say";
  world.fabric.revive_port("a", "mlx5_0");
  EXPECT_EQ(world.closing(kSecond), "its MTU changed from 1024 to 4096 bytes");
}

TEST(Mesh, probes_on_while_a_driver_does_not_tell_the_MTU) {
  World world;
  HangingVerbs node(world.fabric.node("a"));
  world.mesh = std::make_unique<Mesh>(node, world.channel, world.options);
  world.mesh->set_peers(world.peers);
  world.run(5 * kSecond);
  const std::uint64_t before = world.of("peer0").total_sent;
  world.fabric.change_mtu("a", "mlx5_0", 1024);
  node.facts.close();
  world.looks_at_mtus = false;
  world.fabric.advance(10 * kSecond);
  std::jthread watcher([&] { world.mesh->look_at_mtus(); });
  node.facts.await(1);
  world.run(5 * kSecond);
  EXPECT_GE(world.of("peer0").total_sent, before + 5);
  node.facts.open();
  watcher.join();
  world.looks_at_mtus = true;
  world.run(5 * kSecond);
  EXPECT_EQ(world.of("peer0").mtu_size, 1024U);
  world.mesh.reset();  // before its verbs
}

TEST(Mesh, probes_a_peer_whose_MTU_changed_with_the_new_one_and_counts_that_anew) {
  for (const std::uint32_t from : {1024U, 4096U}) {
    const std::uint32_t to = from == 1024 ? 4096 : 1024;
    Sized world(4096);
    world.fabric.change_mtu("peer0", "mlx5_0", from);
    world.begin();
    world.run(12 * kSecond);
    EXPECT_EQ(world.of("peer0").mtu_size, from);
    world.fabric.change_mtu("peer0", "mlx5_0", to);
    world.run(20 * kSecond);
    const PeerProbe seen = world.of("peer0");
    EXPECT_EQ(seen.mtu_size, to);
    EXPECT_GE(seen.mtu_sent, 3U);
    EXPECT_LE(seen.mtu_sent, 11U) << "the others had another size";
    EXPECT_EQ(seen.mtu_lost, 0U);
    EXPECT_LE(seen.total_lost, 3U) << "no more than by a restart";
    EXPECT_EQ(seen.lost_in_row, 0U);
    EXPECT_EQ(world.of("peer1").total_lost, 0U);
    EXPECT_TRUE(world.responders["peer0"]->status().failed.empty()) << "it answers again";
  }
}

TEST(Responder, whose_port_has_another_MTU_now_ends_its_sessions_and_opens_new_ones) {
  for (const std::uint32_t from : {1024U, 4096U}) {
    const std::uint32_t to = from == 1024 ? 4096 : 1024;
    Pair pair({}, with_mtu(from));
    pair.plan.mtu_sweep = true;
    const ProbeResult before = pair.run();
    ASSERT_TRUE(before.mtu);
    EXPECT_EQ(*before.mtu->passes(), from);
    pair.fabric.change_mtu("b", "mlx5_0", to);
    pair.fabric.advance(10 * kSecond);
    pair.b->look_at_mtus();
    pair.b->step(0);
    EXPECT_EQ(pair.b->status().sessions, 0U);
    ASSERT_EQ(pair.b->status().failed.size(), 1U);
    EXPECT_EQ(pair.b->status().failed.begin()->second,
              "its MTU changed from " + std::to_string(from) + " to " + std::to_string(to) + " bytes");
    const ProbeResult after = pair.run();
    EXPECT_FALSE(after.error);
    EXPECT_EQ(after.lost, 0U);
    ASSERT_TRUE(after.mtu);
    EXPECT_EQ(*after.mtu->passes(), to);
    EXPECT_TRUE(pair.b->status().failed.empty());
  }
}

TEST(Responder, asks_a_port_for_its_MTU_when_it_comes_up) {
  Pair pair;
  EXPECT_FALSE(pair.run().error);
  pair.fabric.kill_port("b", "mlx5_0", verbs::EventKind::PortError);
  pair.fabric.change_mtu("b", "mlx5_0", 1024);
  pair.fabric.revive_port("b", "mlx5_0");
  pair.fabric.advance(10 * kMs);
  pair.b->step(0);
  pair.b->look_at_mtus();
  pair.fabric.advance(10 * kMs);
  pair.b->step(0);
  EXPECT_EQ(pair.b->status().open_ports, 0U);
}

TEST(Responder, answers_on_while_a_driver_does_not_tell_the_MTU) {
  Pair pair;
  HangingVerbs node(pair.fabric.node("b"));
  ResponderOptions options;
  options.labels.node = "b";
  pair.b = std::make_unique<Responder>(node, options);
  pair.channel.peers[pair.peer.text()] = pair.b.get();
  EXPECT_FALSE(pair.run().error);
  pair.fabric.revive_port("b", "mlx5_0");  // that it is up is a reason to ask it
  pair.fabric.advance(10 * kMs);
  pair.b->step(0);
  node.facts.close();
  std::jthread watcher([&] { pair.b->look_at_mtus(); });
  node.facts.await(1);
  const ProbeResult result = pair.run();
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.lost, 0U);
  EXPECT_EQ(pair.b->status().open_ports, 1U);
  node.facts.open();
  watcher.join();
  pair.b.reset();  // before its verbs
}

}  // namespace
}  // namespace roceready::probes

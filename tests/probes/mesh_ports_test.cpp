// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <numeric>

#include <gtest/gtest.h>

#include "probes/cm_prober.h"
#include "probes/reasons.h"
#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

TEST(Mesh, takes_a_request_that_was_under_way_when_its_own_port_went_down_for_no_loss) {
  World world;
  doubles::FabricRule slow;
  slow.delay_ns = 200 * kMs;  // each way: a request is under way for 400 ms of each second
  world.fabric.add_rule(slow);
  world.options.connected = {ProbeKind::RcWrite, ProbeKind::RcRead};
  world.options.connected_interval_ns = kSecond;
  world.begin();
  world.run(5 * kSecond);
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t sent = world.of("peer0", "rc-write").total_sent;
    world.run(i * 260 * kMs);
    world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
    world.run(3 * kSecond);
    EXPECT_FALSE(world.mesh->facts().blocked.empty());
    world.fabric.revive_port("a", "mlx5_0");
    world.run(3 * kSecond);
    for (const char* kind : {"rc-write", "rc-read"}) {
      EXPECT_GT(world.of("peer0", kind).total_sent, sent) << kind << ": connections are made anew at once";
      for (const char* peer : {"peer0", "peer1"}) EXPECT_EQ(world.of(peer, kind).total_lost, 0U) << peer << kind;
    }
  }
}

TEST(Mesh, asks_for_no_connections_while_its_own_port_is_down) {
  World world;
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = kSecond;
  doubles::FabricRule slow;
  slow.delay_ns = 200 * kMs;
  world.fabric.add_rule(slow);
  world.begin();
  world.run(5 * kSecond);
  world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
  world.run(kSecond);
  const std::size_t asked = world.channel.asked.size();
  world.run(20 * kSecond);
  EXPECT_EQ(world.channel.asked.size(), asked);
}

TEST(Mesh, keeps_its_counts_of_what_it_refused_when_it_lets_go_of_its_ports) {
  World world;
  world.begin();
  // The first queue pairs of the fabric are the mesh's; strangers know neither key nor session.
  world.run(5 * kSecond);
  std::uint32_t qkey = 0;
  world.fabric.tap = nullptr;
  for (const std::string& body : world.channel.asked) {
    const auto request = decode_request(body, world.secret);
    ASSERT_TRUE(request);
    qkey = request->endpoint.qkey;
  }
  const std::vector<std::byte> junk(64, std::byte{0x55});
  for (int i = 0; i < 3; ++i) world.fabric.inject("10.0.0.1", 0x11, qkey, junk);
  world.run(kSecond);
  const auto all = [&] {
    const auto refusals = world.mesh->refusals();
    return std::accumulate(refusals.begin(), refusals.end(), std::uint64_t{0});
  };
  ASSERT_EQ(all(), 3U);
  world.mesh->set_peers({});
  world.run(kSecond);
  ASSERT_TRUE(world.mesh->facts().peers.empty());
  EXPECT_EQ(all(), 3U);
  const auto reasons = by_reason<Refusal>(world.mesh->refusals());
  EXPECT_EQ(reasons.at("not_ours"), 3U);
  EXPECT_EQ(reasons.at("forged"), 0U) << "each reason has a count";
  EXPECT_TRUE(by_reason<Impossible>(world.mesh->discards()).contains("received_before_sent"));
}

TEST(Mesh, asks_others_to_let_its_ports_go_once_there_is_no_peer) {
  World world;
  world.begin();
  world.run(5 * kSecond);
  const std::vector<CmTarget> targets = world.mesh->cm_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_FALSE(targets[0].closing.stop_requested());
  world.mesh->set_peers({});
  world.run(kSecond);
  EXPECT_TRUE(targets[0].closing.stop_requested());
  EXPECT_TRUE(world.mesh->cm_targets().empty());
}

}  // namespace
}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <gtest/gtest.h>

#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

TEST(Mesh, has_new_sessions_with_a_peer_whose_replies_leave_in_another_service_level) {
  World world;
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = kSecond;
  NodeDigest digest;
  digest.role = "storage";
  for (auto& [name, responder] : world.responders) responder->set_digest(digest);
  world.begin();
  world.run(5 * kSecond);
  ASSERT_EQ(world.fabric.service_levels("peer0"), std::set<std::uint8_t>{0});
  const std::size_t asked = world.channel.asked.size();
  world.responders.at("peer0")->set_service_level(5);
  world.run(20 * kSecond);
  EXPECT_EQ(world.channel.asked.size(), asked + 2) << "one for each kind, and none with the other peer";
  EXPECT_EQ(world.fabric.service_levels("peer0"), std::set<std::uint8_t>{5}) << "old sessions have ended";
  EXPECT_EQ(world.fabric.service_levels("peer1"), std::set<std::uint8_t>{0});
  for (const char* kind : {"ud", "rc-write"}) EXPECT_EQ(world.of("peer0", kind).total_lost, 0U) << kind;
  world.responders.at("peer0")->set_service_level(5);
  world.run(20 * kSecond);
  EXPECT_EQ(world.channel.asked.size(), asked + 2) << "nothing changed";
}

TEST(Mesh, spreads_the_sessions_that_it_needs_in_another_class) {
  constexpr int kPeers = 60;
  World world(kPeers);
  world.begin();
  world.run(10 * kSecond);
  const std::size_t asked = world.channel.asked.size();
  world.mesh->set_class({3, 5});
  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    const std::size_t before = world.channel.asked.size();
    world.run(100 * kMs);
    most = std::max(most, world.channel.asked.size() - before);
  }
  EXPECT_EQ(world.channel.asked.size(), asked + kPeers) << "all of them in two seconds";
  EXPECT_LE(most, 9U) << "not all in one round of probes, which would be 12 in a tenth of a second";
}

/// A peer whose agent has just begun.
Error not_ready() {
  return {ErrorCode::Changed, "the peer is not ready yet: it has taken no sample", "", 0};
}

TEST(Mesh, asks_a_peer_that_is_not_ready_yet_again_soon) {
  World world;
  world.channel.says.emplace("peer0:9885", not_ready());
  world.begin();
  world.run(40 * kSecond);
  EXPECT_TRUE(*world.of("peer0").control_answers);
  EXPECT_NE(world.of("peer0").error->find("not ready yet"), std::string::npos);
  EXPECT_EQ(world.of("peer0").sent, 0U);
  EXPECT_LE(world.channel.asked.size(), 14U) << "after 1, 2, 4 and then each 5 s";
  world.channel.says.clear();
  world.run(6 * kSecond);
  EXPECT_GT(world.of("peer0").sent, 0U) << "after refusals it would have been asked 21 s later";
}

TEST(Mesh, does_not_take_a_peer_that_is_not_ready_yet_for_one_whose_path_is_dead) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  // Its agent restarts: the old session is gone, and there is no new one yet.
  world.stalled.insert("peer0");
  world.channel.says.emplace("peer0:9885", not_ready());
  for (int i = 0; i < 50; ++i) {
    world.run(100 * kMs);
    const PeerProbe peer = world.of("peer0");
    EXPECT_FALSE(peer.lost_in_row > 0 && peer.control_answers.value_or(false));
  }
  ASSERT_GE(world.of("peer0").lost_in_row, 3U);
}

}  // namespace
}  // namespace roceready::probes

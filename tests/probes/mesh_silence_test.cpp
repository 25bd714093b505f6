// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <gtest/gtest.h>

#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

/// A peer that is probed by datagrams and, each 20 s, by connections; nothing was ever lost.
struct Connected : World {
  Connected() : World(2) {
    options.connected = {ProbeKind::RcWrite, ProbeKind::RcRead};
    options.connected_interval_ns = 20 * kSecond;
    begin();
    run(41 * kSecond);
  }
  /// Runs until the link's newest probes were lost, so many in a row; how long that took.
  std::int64_t run_until_lost(const std::string& kind, std::uint32_t in_row) {
    const std::int64_t from_ns = fabric.now_ns();
    while (of("peer0", kind).lost_in_row < in_row && fabric.now_ns() - from_ns < 60 * kSecond) run(10 * kMs);
    return fabric.now_ns() - from_ns;
  }
  std::uint64_t requests(const std::string& peer) {
    return of(peer, "rc-write").total_sent + of(peer, "rc-read").total_sent;
  }
};

doubles::FabricRule silence() {
  doubles::FabricRule out;
  out.to = "10.0.0.10";
  out.loss = 1;
  return out;
}

TEST(Mesh, asks_connections_at_once_when_datagrams_fall_silent) {
  Connected world;
  world.fabric.add_rule(silence());
  world.run_until_lost("ud", 3);
  world.run(100 * kMs);
  for (const char* kind : {"rc-write", "rc-read"}) {
    EXPECT_GE(world.of("peer0", kind).lost_in_row, 1U) << kind << " would have been its turn up to 20 s later";
    EXPECT_EQ(world.of("peer1", kind).total_lost, 0U) << kind;
  }
}

TEST(Mesh, knows_within_three_seconds_that_a_host_is_up_and_its_path_is_dead) {
  Connected world;
  world.fabric.add_rule(silence());
  const std::int64_t from_ns = world.fabric.now_ns();
  const auto known = [&] {  // what the rule on unreachable peers asks for
    const PeerProbe peer = world.of("peer0");
    return peer.lost_in_row >= 3 && peer.control_answers.value_or(false) &&
           world.of("peer0", "rc-write").lost_in_row > 0 && world.of("peer0", "rc-read").lost_in_row > 0;
  };
  while (!known() && world.fabric.now_ns() - from_ns < 30 * kSecond) world.run(10 * kMs);
  EXPECT_LE(world.fabric.now_ns() - from_ns, 3 * kSecond);
}

TEST(Mesh, asks_connections_once_for_each_silence) {
  Connected world;
  const std::uint64_t before = world.requests("peer0"), before1 = world.requests("peer1");
  // The peer's host answers neither datagrams nor HTTP, its NIC goes on.
  world.stalled.insert("peer0");
  world.channel.peers.erase("peer0:9885");
  world.run(40 * kSecond);
  ASSERT_GE(world.of("peer0").lost_in_row, 20U);
  EXPECT_EQ(world.of("peer0", "rc-write").total_lost, 0U);
  EXPECT_EQ(world.requests("peer0") - before, 2U * 2 + 2) << "two kinds, two turns in 40 s, and once out of turn";
  EXPECT_EQ(world.requests("peer1") - before1, 2U * 2);
}

TEST(Mesh, backs_off_from_asking_connections_where_datagrams_fall_silent_again_and_again) {
  Connected world;
  const std::uint64_t before = world.requests("peer0");
  int silences = 0;
  // The peer's host, and not its NIC, is away now and then.
  for (int i = 0; i < 20; ++i) {
    world.stalled.insert("peer0");
    world.run(1700 * kMs);
    silences += world.of("peer0").lost_in_row >= 2 ? 1 : 0;
    world.stalled.erase("peer0");
    world.run(1300 * kMs);
    ASSERT_EQ(world.of("peer0").lost_in_row, 0U) << "each silence is another";
  }
  ASSERT_GE(silences, 15);
  const std::uint64_t asked = world.requests("peer0") - before;
  EXPECT_EQ(world.of("peer0", "rc-write").total_lost, 0U);
  // Three turns each in these 60 s. Out of turn: at once, and then after 1, 2, 4, 8, 16 and 20 s at the least.
  EXPECT_GE(asked, 2U * (3 + 3));
  EXPECT_LE(asked, 2U * (3 + 7));
}

TEST(Mesh, asks_no_connection_because_one_datagram_was_lost) {
  Connected world;
  const std::uint64_t before = world.requests("peer0");
  const int rule = world.fabric.add_rule(silence());
  world.run_until_lost("ud", 1);
  world.fabric.remove_rule(rule);
  world.run(3 * kSecond);
  ASSERT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_LE(world.requests("peer0") - before, 1U) << "but in its turn";
}

}  // namespace
}  // namespace roceready::probes

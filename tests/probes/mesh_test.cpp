// SPDX-License-Identifier: Apache-2.0
#include "probes/mesh.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

TEST(Mesh, probes_every_peer_twice_a_second_over_all_paths) {
  World world;
  world.begin();
  world.run(20 * kSecond);
  const ProbeFacts facts = world.mesh->facts();
  ASSERT_EQ(facts.peers.size(), 2U);
  for (const PeerProbe& peer : facts.peers) {
    EXPECT_EQ(peer.lost, 0U);
    EXPECT_EQ(peer.not_sent, 0U);
    EXPECT_GE(peer.sent + peer.mtu_sent, 34U);
    EXPECT_LE(peer.sent + peer.mtu_sent, 41U);
    EXPECT_GE(peer.mtu_sent, 8U);
    EXPECT_EQ(peer.mtu_size, 4096U);
    EXPECT_EQ(peer.mtu_lost, 0U);
    ASSERT_TRUE(peer.rtt);
    EXPECT_NEAR(peer.rtt->p50_seconds, 4e-6, 1e-6);
    ASSERT_EQ(peer.paths.size(), 4U);
    for (const ProbePath& path : peer.paths) EXPECT_GE(path.sent, 6U);
    EXPECT_EQ(peer.traffic_class->dscp_received, 26U);
    EXPECT_TRUE(*peer.control_answers);
    EXPECT_FALSE(peer.error);
    EXPECT_EQ(peer.address.rfind("10.0.0.1", 0), 0U);
  }
  EXPECT_TRUE(facts.blocked.empty());
  EXPECT_NEAR(facts.packets_per_second, 4, 1.5);
}

TEST(Mesh, counts_loss_rewriting_and_marks_of_the_peer_they_happen_to) {
  World world;
  doubles::FabricRule bad;
  bad.to = "10.0.0.10";
  bad.loss = 0.2;
  bad.dscp = 0;
  world.fabric.add_rule(bad);
  world.begin();
  world.run(40 * kSecond);
  const PeerProbe hit = world.of("peer0"), spared = world.of("peer1");
  EXPECT_GT(hit.lost, 2U);
  EXPECT_LT(hit.lost, hit.sent / 2);
  EXPECT_EQ(hit.traffic_class->rewritten, hit.traffic_class->seen);
  EXPECT_EQ(spared.lost, 0U);
  EXPECT_EQ(spared.traffic_class->rewritten, 0U);
}

TEST(Mesh, sees_that_full_packets_vanish_while_small_ones_pass) {
  World world;
  doubles::FabricRule hole;
  hole.longer_than = 1500;
  hole.loss = 1;
  world.fabric.add_rule(hole);
  world.begin();
  world.run(20 * kSecond);
  const PeerProbe peer = world.of("peer0");
  EXPECT_EQ(peer.lost, 0U);
  EXPECT_GE(peer.mtu_sent, 8U);
  EXPECT_EQ(peer.mtu_lost, peer.mtu_sent);
  EXPECT_LE(world.channel.asked.size(), 4U) << "no new session would help";
}

TEST(Mesh, names_the_one_bad_path) {
  World world;
  doubles::FabricRule bad;
  bad.source_qp = 0x11 + 3;  // the mesh opens the fabric's first queue pairs
  bad.loss = 1;
  world.fabric.add_rule(bad);
  world.begin();
  world.run(30 * kSecond);
  const PeerProbe peer = world.of("peer1");
  ASSERT_EQ(peer.paths.size(), 4U);
  for (const ProbePath& path : peer.paths) {
    if (path.source_qp == *bad.source_qp)
      EXPECT_EQ(path.lost, path.sent);
    else
      EXPECT_EQ(path.lost, 0U) << path.path;
    EXPECT_GT(path.sent, 0U);
  }
}

TEST(Mesh, notices_a_restarted_peer_and_goes_on_in_one_round) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  world.start("peer0");
  world.run(3 * kSecond);
  const std::uint64_t before = world.of("peer0").total_lost;
  EXPECT_LE(before, 3U);
  EXPECT_GE(before, 2U);
  EXPECT_EQ(world.of("peer0").lost, 0U) << "sent to a responder that was no more: no loss of the path";
  for (const ProbePath& path : world.of("peer0").paths) EXPECT_EQ(path.lost, 0U) << path.path;
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_EQ(world.of("peer1").lost, 0U);
  world.run(10 * kSecond);
  EXPECT_EQ(world.of("peer0").total_lost, before);
}

TEST(Mesh, takes_a_path_for_dead_although_the_peer_restarts_again_and_again) {
  World world;
  world.begin();
  world.run(10 * kSecond);
  world.stalled.insert("peer0");
  for (int restart = 0; restart < 10; ++restart) {
    world.start("peer0");
    world.run(2 * kSecond);
  }
  EXPECT_GE(world.of("peer0").lost_in_row, 10U);
  EXPECT_GE(world.of("peer0").lost, 10U);
  EXPECT_TRUE(world.of("peer0").control_answers.value_or(false));
  world.stalled.clear();
  world.start("peer0");
  world.run(35 * kSecond);
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_GE(world.of("peer0").total_lost, 10U);
}

TEST(Mesh, notices_a_changed_digest_by_its_hash) {
  World world;
  NodeDigest digest;
  digest.profile = "before";
  world.responders["peer0"]->set_digest(digest);
  world.begin();
  world.run(5 * kSecond);
  const auto profile = [&] {
    for (const PeerDigest& each : world.mesh->facts().digests)
      if (each.peer == "peer0:9885") return each.digest.profile;
    return std::string("none");
  };
  EXPECT_EQ(profile(), "before");
  const std::size_t asked = world.channel.asked.size();
  world.run(20 * kSecond);
  EXPECT_EQ(world.channel.asked.size(), asked) << "nothing changed, nobody asks";
  digest.profile = "after";
  world.responders["peer0"]->set_digest(digest);
  world.run(2 * kSecond);
  EXPECT_EQ(profile(), "after");
  EXPECT_EQ(world.channel.asked.size(), asked + 1);
  EXPECT_EQ(world.of("peer0").lost, 0U);
}

TEST(Mesh, is_not_held_up_by_a_peer_that_never_answers) {
  World world(3);
  world.channel.peers.erase("peer1:9885");
  world.begin();
  world.run(20 * kSecond);
  EXPECT_EQ(world.of("peer1").sent, 0U) << "a probe that could not be sent is not lost";
  EXPECT_GT(world.of("peer1").not_sent, 0U);
  EXPECT_FALSE(*world.of("peer1").control_answers);
  EXPECT_TRUE(world.of("peer1").error);
  EXPECT_GT(world.of("peer0").sent, 25U);
  EXPECT_GT(world.of("peer2").sent, 25U);
  EXPECT_LE(world.channel.asked.size(), 10U) << "asking backs off";
}

TEST(Mesh, with_a_silent_peer_counts_every_probe_lost_and_knows_that_it_answers_over_HTTP) {
  World world;
  doubles::FabricRule dead;
  dead.to = "10.0.0.10";
  dead.loss = 1;
  world.fabric.add_rule(dead);
  world.begin();
  world.run(20 * kSecond);
  const PeerProbe peer = world.of("peer0");
  EXPECT_EQ(peer.lost, peer.sent);
  EXPECT_GE(peer.lost_in_row, 3U);
  EXPECT_TRUE(*peer.control_answers);
  EXPECT_LE(world.channel.asked.size(), 10U);
}

TEST(Mesh, on_a_port_that_goes_down_sends_nothing_and_blames_no_peer) {
  World world;
  world.begin();
  world.run(5 * kSecond);
  world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
  world.run(5 * kSecond);
  EXPECT_EQ(world.of("peer0").lost, 0U);
  EXPECT_GT(world.of("peer0").not_sent, 5U);
  EXPECT_TRUE(world.mesh->facts().blocked.contains("mlx5_0/1"));
  world.fabric.revive_port("a", "mlx5_0");
  world.run(10 * kSecond);
  EXPECT_TRUE(world.mesh->facts().blocked.empty());
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_EQ(world.of("peer0").total_lost, 0U);
}

TEST(Mesh, takes_a_probe_that_was_under_way_when_its_own_port_went_down_for_no_loss) {
  World world;
  doubles::FabricRule slow;
  slow.delay_ns = 100 * kMs;
  world.fabric.add_rule(slow);
  world.begin();
  world.run(5 * kSecond);
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t sent = world.of("peer0").total_sent;
    world.run(i * 110 * kMs);  // one way of 100 ms: some are under way each time
    world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
    world.run(3 * kSecond);
    world.fabric.revive_port("a", "mlx5_0");
    world.run(5 * kSecond);
    EXPECT_GT(world.of("peer0").total_sent, sent);
  }
  for (const char* peer : {"peer0", "peer1"}) EXPECT_EQ(world.of(peer).total_lost, 0U) << peer;
}

TEST(Mesh, on_a_device_of_two_ports_goes_on_with_the_one_that_is_up) {
  World world(1);
  doubles::FakePortSetup second;
  second.port = 2;
  second.addresses = {"10.0.0.2"};
  world.fabric.add_port("a", second);
  world.begin();
  world.run(5 * kSecond);
  world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::PortError);
  world.run(5 * kSecond);
  const ProbeFacts facts = world.mesh->facts();
  ASSERT_EQ(facts.peers.size(), 2U);
  EXPECT_GT(facts.peers[0].not_sent, 5U);
  EXPECT_EQ(facts.peers[1].not_sent, 0U);
  EXPECT_GE(facts.peers[1].sent, 12U);
  EXPECT_TRUE(facts.blocked.contains("mlx5_0/1"));
  EXPECT_FALSE(facts.blocked.contains("mlx5_0/2"));
}

TEST(Mesh, calls_a_probe_that_its_NIC_never_sent_not_sent_and_blames_no_peer) {
  World world(1);
  world.begin();
  world.run(5 * kSecond);
  world.fabric.hold_sends("a", "mlx5_0", true);
  world.run(5 * kSecond);
  PeerProbe peer = world.of("peer0");
  EXPECT_EQ(peer.lost + peer.mtu_lost, 0U);
  EXPECT_GT(peer.not_sent, 3U);
  ASSERT_TRUE(peer.error);
  world.fabric.hold_sends("a", "mlx5_0", false);
  world.run(10 * kSecond);
  peer = world.of("peer0");
  EXPECT_EQ(peer.total_lost, 0U);
  EXPECT_GE(peer.total_sent, 15U);
  EXPECT_EQ(peer.lost_back, Reading<std::uint64_t>(0U));
}

TEST(Mesh, outlives_a_device_that_is_removed_and_comes_back) {
  World world;
  world.begin();
  world.run(5 * kSecond);
  world.fabric.kill_port("a", "mlx5_0", verbs::EventKind::DeviceFatal);
  world.run(2 * kSecond);
  EXPECT_TRUE(world.mesh->facts().peers.empty());
  EXPECT_TRUE(world.mesh->facts().blocked.contains("mlx5_0/1") || world.mesh->facts().blocked.empty());
  world.fabric.revive_port("a", "mlx5_0");
  world.run(30 * kSecond);
  EXPECT_GT(world.of("peer0").sent, 10U);
  world.mesh.reset();
  world.responders.clear();
  EXPECT_EQ(world.fabric.open_objects(), 0);
}

TEST(Mesh, lets_go_of_a_device_that_is_being_removed_and_says_so_for_a_while) {
  World world;
  world.begin();
  world.run(5 * kSecond);
  world.fabric.remove_device("a", "mlx5_0");
  world.run(100 * kMs);
  EXPECT_TRUE(world.mesh->facts().peers.empty());
  ASSERT_TRUE(world.mesh->facts().blocked.contains("mlx5_0/1"));
  EXPECT_NE(world.mesh->facts().blocked["mlx5_0/1"].find("removed"), std::string::npos);
  world.run(15 * kSecond);
  EXPECT_TRUE(world.mesh->facts().blocked.contains("mlx5_0/1")) << "long enough to be seen";
  world.run(60 * kSecond);
  EXPECT_TRUE(world.mesh->facts().blocked.empty()) << "no port of this node any more";
  world.responders.clear();
  EXPECT_EQ(world.fabric.open_objects(), 0) << "the removal waits for this";
}

TEST(Mesh, of_a_starved_peer_keeps_its_round_trips_out_of_the_network) {
  World world;
  world.begin();
  world.run(70 * kSecond);
  const PeerProbe calm = world.of("peer0");
  ASSERT_TRUE(calm.baseline_p50_seconds);
  ASSERT_TRUE(calm.rtt);
  ASSERT_EQ(calm.late_polls, 0U);
  world.starved = {"peer0"};
  world.run(90 * kSecond);
  const PeerProbe starved = world.of("peer0");
  EXPECT_EQ(starved.lost, 0U);
  EXPECT_EQ(starved.discarded, 0U);
  EXPECT_EQ(starved.late_polls, 0U) << "this host was not late";
  EXPECT_EQ(starved.slow_windows, 0U);
  EXPECT_EQ(starved.baseline_p50_seconds.value_or(0), calm.baseline_p50_seconds.value_or(1));
  EXPECT_FALSE(starved.rtt);
  EXPECT_EQ(starved.rtt.absent().detail, "the peer's host came late to every probe");
  ASSERT_TRUE(starved.responder_delay);
  EXPECT_GT(starved.responder_delay->p50_seconds, 3e-3);
  EXPECT_TRUE(world.of("peer1").rtt) << "others are judged as before";
}

TEST(Mesh, probes_in_another_class_from_one_round_to_the_next_and_loses_nothing) {
  World world;
  world.options.connected = {ProbeKind::RcWrite};
  world.options.connected_interval_ns = kSecond;
  world.begin();
  world.run(5 * kSecond);
  world.mesh->set_class({3, 5});
  world.run(3 * kSecond);
  std::set<int> classes;
  world.fabric.tap = [&](const std::vector<std::byte>&, std::uint8_t traffic_class) { classes.insert(traffic_class); };
  const std::size_t asked = world.channel.asked.size();
  EXPECT_EQ(asked, 8U) << "two kinds to two peers, once in each class";
  world.run(20 * kSecond);
  EXPECT_EQ(classes, std::set<int>{3 << 2 | 2}) << "replies too";
  EXPECT_EQ(world.of("peer0").traffic_class->dscp_sent, 3U);
  EXPECT_EQ(world.of("peer0").traffic_class->rewritten, 0U);
  EXPECT_EQ(world.of("peer0").total_lost, 0U);
  world.mesh->set_class({3, 5});
  world.run(5 * kSecond);
  EXPECT_EQ(world.channel.asked.size(), asked) << "nothing changed";
}

TEST(Mesh, does_not_hold_a_removed_device_for_peers_that_are_yet_to_be_asked) {
  World world(3);
  world.fetchers_run = false;  // all of them ask peers that do not answer
  world.begin();
  world.run(2 * kSecond);
  ASSERT_GT(world.fabric.open_objects(), 0);
  world.fabric.remove_device("a", "mlx5_0");
  world.run(100 * kMs);
  EXPECT_EQ(world.fabric.open_objects(), 0) << "the removal waits for this";
}

TEST(Mesh, lets_go_of_a_port_that_is_excluded_while_it_probes) {
  World world;
  doubles::FakePortSetup second;
  second.device = "mlx5_1";
  second.addresses = {"10.0.0.2"};
  world.fabric.add_port("a", second);
  bool both = true;
  world.options.may_use = [&](const verbs::PortName& port) { return both || port.device == "mlx5_0"; };
  world.begin();
  world.run(5 * kSecond);
  ASSERT_EQ(world.mesh->facts().peers.size(), 4U);
  const int open = world.fabric.open_objects();
  both = false;
  world.run(11 * kSecond);
  ASSERT_EQ(world.mesh->facts().peers.size(), 2U);
  for (const PeerProbe& peer : world.mesh->facts().peers) EXPECT_EQ(peer.device, "mlx5_0");
  EXPECT_TRUE(world.mesh->facts().blocked.empty()) << "nothing is wrong with it";
  EXPECT_LT(world.fabric.open_objects(), open);
  both = true;
  world.run(11 * kSecond);
  EXPECT_EQ(world.mesh->facts().peers.size(), 4U);
}

TEST(Mesh, says_nothing_any_more_of_a_port_that_could_not_probe_and_is_excluded) {
  doubles::FakePortSetup own;
  own.addresses = {};
  World world(1, own);
  bool excluded = false;
  world.options.may_use = [&](const verbs::PortName&) { return !excluded; };
  world.begin();
  world.run(kSecond);
  ASSERT_FALSE(world.mesh->facts().blocked.empty());
  excluded = true;
  world.run(11 * kSecond);
  EXPECT_TRUE(world.mesh->facts().blocked.empty());
}

TEST(Mesh, probes_from_the_new_address_when_the_GID_changes) {
  World world;
  world.begin();
  world.run(5 * kSecond);
  world.fabric.change_address("a", "mlx5_0", "10.0.0.99");
  world.run(20 * kSecond);
  EXPECT_GT(world.of("peer0").sent, 10U);
  EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
  EXPECT_FALSE(world.of("peer0").error);
}

/// A third of what goes from one address to another is lost.
doubles::FabricRule third_lost(const std::string& from, const std::string& to) {
  doubles::FabricRule out;
  out.from = from;
  out.to = to;
  out.loss = 0.3;
  return out;
}

TEST(Mesh, tells_on_which_way_probes_are_lost) {
  World world(2);
  world.fabric.add_rule(third_lost("10.0.0.1", "10.0.0.10"));
  world.fabric.add_rule(third_lost("10.0.0.11", "10.0.0.1"));
  world.begin();
  world.run(40 * kSecond);
  const PeerProbe there = world.of("peer0"), back = world.of("peer1");
  ASSERT_TRUE(there.lost_there && there.lost_back && back.lost_there && back.lost_back);
  EXPECT_GE(*there.lost_there, 5U);
  EXPECT_EQ(*there.lost_back, 0U);
  EXPECT_LE(*there.lost_there, there.lost);
  EXPECT_GE(*back.lost_back, 5U);
  EXPECT_EQ(*back.lost_there, 0U);
}

TEST(Mesh, knows_that_the_host_of_a_peer_kept_the_probes_to_which_it_answers_after_the_timeout) {
  for (const std::int64_t stall_ns : {700 * kMs, 1600 * kMs}) {  // the longer one lets the session be replaced
    World world;
    world.begin();
    world.run(10 * kSecond);
    for (int i = 0; i < 8; ++i) {
      world.stall("peer0", stall_ns);
      world.run(2 * kSecond);
      EXPECT_EQ(world.of("peer0").lost_in_row, 0U);
    }
    const PeerProbe peer = world.of("peer0");
    EXPECT_GE(peer.lost, 2U);
    EXPECT_EQ(peer.answered_late, peer.lost);
    EXPECT_EQ(peer.mtu_answered_late, peer.mtu_lost);
    EXPECT_EQ(peer.lost_there, Reading<std::uint64_t>(0U)) << "nothing was lost on any way";
    EXPECT_EQ(peer.lost_back, Reading<std::uint64_t>(0U));
    ASSERT_TRUE(peer.responder_delay);
    EXPECT_GT(peer.responder_delay->max_seconds, 0.3) << "the peer's host is slow, and that is seen";
    EXPECT_EQ(world.of("peer1").lost + world.of("peer1").answered_late, 0U);
    std::uint64_t refused = 0;
    for (const std::uint64_t of_a_reason : world.mesh->refusals()) refused += of_a_reason;
    if (stall_ns < kSecond) {
      EXPECT_EQ(refused, 0U);
    }
  }
}

TEST(Mesh, does_not_excuse_a_network_that_takes_longer_than_the_timeout) {
  World world(1);
  world.begin();
  world.run(10 * kSecond);
  doubles::FabricRule slow;
  slow.from = "10.0.0.10";
  slow.delay_ns = 700 * kMs;
  const int rule = world.fabric.add_rule(slow);
  world.run(5 * kSecond);
  world.fabric.remove_rule(rule);
  world.run(3 * kSecond);
  const PeerProbe peer = world.of("peer0");
  EXPECT_GE(peer.lost, 5U);
  EXPECT_EQ(peer.answered_late, 0U);
  EXPECT_EQ(peer.lost_back, Reading<std::uint64_t>(0U)) << "but their answers did come";
}

TEST(Mesh, counts_probes_to_which_the_peers_host_came_late) {
  World world(2);
  world.starved.insert("peer0");
  world.begin();
  world.run(20 * kSecond);
  EXPECT_GT(world.of("peer0").responder_late, 10U);
  EXPECT_EQ(world.of("peer1").responder_late, 0U);
}

TEST(Mesh, keeps_a_baseline_of_each_load_that_the_ends_of_a_path_tell) {
  World world;
  PortDigest port;
  port.device = "mlx5_0";
  NodeDigest idle, busy;
  idle.ports.push_back(port);
  port.rx_line_share = 0.2;
  busy.ports.push_back(port);
  world.begin();
  world.mesh->set_digest(idle);
  world.run(70 * kSecond);
  EXPECT_TRUE(world.of("peer0").baseline_p50_seconds);
  world.responders.at("peer0")->set_digest(busy);
  world.run(10 * kSecond);
  EXPECT_FALSE(world.of("peer0").baseline_p50_seconds) << "it is busy as it never was before";
  EXPECT_TRUE(world.of("peer1").baseline_p50_seconds);
  world.responders.at("peer0")->set_digest(idle);
  world.run(10 * kSecond);
  EXPECT_TRUE(world.of("peer0").baseline_p50_seconds);
  world.mesh->set_digest(busy);
  world.run(10 * kSecond);
  EXPECT_FALSE(world.of("peer1").baseline_p50_seconds) << "this end is busy";
}

TEST(Mesh, tells_what_it_says_of_itself_and_when_a_peers_port_lost_its_carrier) {
  World world(1);
  PortDigest port;
  port.device = "mlx5_0";
  port.carrier_losses = std::uint64_t{1};
  NodeDigest digest;
  digest.label = "leaf-a";
  digest.ports.push_back(port);
  world.responders.at("peer0")->set_digest(digest);
  world.begin();
  world.mesh->set_digest(digest);
  world.run(5 * kSecond);
  EXPECT_EQ(world.mesh->facts().own.label, "leaf-a");
  ASSERT_EQ(world.mesh->facts().digests.size(), 1U);
  EXPECT_TRUE(world.mesh->facts().digests[0].carrier_lost_seconds_ago.empty());
  digest.ports[0].carrier_losses = std::uint64_t{2};
  world.responders.at("peer0")->set_digest(digest);
  world.run(20 * kSecond);
  const auto lost = world.mesh->facts().digests[0].carrier_lost_seconds_ago;
  ASSERT_TRUE(lost.contains("mlx5_0/1"));
  EXPECT_GT(lost.at("mlx5_0/1"), 15);
  EXPECT_LE(lost.at("mlx5_0/1"), 20);
}

}  // namespace
}  // namespace roceready::probes

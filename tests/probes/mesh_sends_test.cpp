// SPDX-License-Identifier: Apache-2.0
// Sends over connections in the mesh: they need receives that the peer's host posts, and a peer that offers them.
#include <algorithm>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/snapshot/probe_json.h"
#include "probes/bounded_json.h"
#include "probes/mac.h"
#include "tests/probes/world.h"

namespace roceready::probes {
namespace {

/// Connections at the highest rate that a mesh may have.
struct Sending : World {
  explicit Sending(int count) : World(count) {
    options.connected = {ProbeKind::RcWrite, ProbeKind::RcRead, ProbeKind::RcSend};
    options.connected_interval_ns = kSecond;
  }
  bool sends_to(const std::string& peer) {
    for (const PeerProbe& each : mesh->facts().peers)
      if (each.peer == peer + ":9885" && each.kind == "rc-send") return true;
    return false;
  }
};

/// Makes of an answer that of a version that does not say which kinds it answers.
void make_older(std::string& body, ByteSpan secret) {
  nlohmann::json answer = nlohmann::json::parse(body);
  ASSERT_EQ(answer.erase("kinds"), 1U);
  answer.erase("mac");
  const std::string said = "roceready probe answer\n" + canonical(answer);
  std::string text;
  for (const std::byte byte : hmac_sha256(secret, std::as_bytes(std::span(said.data(), said.size())))) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  answer["mac"] = text;
  body = canonical(answer);
}

TEST(MeshSends, go_on_for_as_long_as_the_peers_host_runs) {
  Sending world(2);
  world.begin();
  world.run(100 * kSecond);  // several times as many as a session has receives
  for (const char* peer : {"peer0", "peer1"}) {
    const PeerProbe probe = world.of(peer, "rc-send");
    EXPECT_GE(probe.total_sent, 95U);
    EXPECT_EQ(probe.total_lost, 0U);
    EXPECT_FALSE(probe.error) << *probe.error;
    ASSERT_TRUE(probe.rtt);
    EXPECT_NEAR(probe.rtt->p50_seconds, 4.3e-6, 1e-6);
  }
  world.mesh.reset();
  world.responders.clear();
  EXPECT_EQ(world.fabric.open_objects(), 0);
}

TEST(MeshSends, that_a_host_without_a_CPU_does_not_take_are_not_the_paths_fault) {
  Sending world(2);
  world.begin();
  world.run(10 * kSecond);
  world.stalled.insert("peer0");  // its NIC and its agent go on
  bool refused = false;
  for (int i = 0; i < 300; ++i) {
    world.run(200 * kMs);
    const PeerProbe probe = world.of("peer0", "rc-send");
    EXPECT_EQ(probe.lost_in_row, 0U) << "the peer's NIC answered: the path carries";
    EXPECT_EQ(probe.answered_late, probe.lost);
    refused = refused || probe.lost > 0;
  }
  EXPECT_TRUE(refused);
  EXPECT_GE(world.of("peer0").lost_in_row, 50U) << "datagrams do need the host";
  EXPECT_EQ(world.of("peer0", "rc-write").total_lost, 0U);
  EXPECT_EQ(world.of("peer1", "rc-send").total_lost, 0U);
}

TEST(MeshSends, are_not_tried_with_a_peer_that_does_not_offer_them) {
  Sending world(1);
  bool is_older = true;
  world.channel.on_the_way = [&](std::string& body) {
    if (is_older) make_older(body, world.secret);
  };
  world.begin();
  world.run(30 * kSecond);
  EXPECT_FALSE(world.sends_to("peer0"));
  for (const char* kind : {"ud", "rc-write", "rc-read"}) EXPECT_GT(world.of("peer0", kind).sent, 20U) << kind;
  for (const std::string& asked : world.channel.asked) EXPECT_EQ(asked.find("rc-send"), std::string::npos);

  world.peers[0].label = "tor7";
  world.mesh->set_peers(world.peers);
  is_older = false;  // it is upgraded
  world.start("peer0");
  world.run(40 * kSecond);
  EXPECT_GT(world.of("peer0", "rc-send").sent, 5U);
  EXPECT_EQ(world.of("peer0", "rc-send").total_lost, 0U);
  const auto all = world.mesh->facts().peers;
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const PeerProbe& each) { return each.kind == "rc-write"; }), 1);

  is_older = true;  // and goes back
  world.start("peer0");
  world.run(40 * kSecond);
  EXPECT_FALSE(world.sends_to("peer0"));
  for (const char* kind : {"ud", "rc-write", "rc-read"}) EXPECT_EQ(world.of("peer0", kind).lost_in_row, 0U) << kind;
}

TEST(MeshSends, begin_on_every_rail_and_with_peers_that_come_later) {
  doubles::FakePortSetup first, second;
  first.addresses = {"10.1.0.1"};
  second.device = "mlx5_1";
  second.addresses = {"10.2.0.1"};
  Sending world(0);
  world.fabric.add_port("b", first);
  world.fabric.add_port("b", second);
  first.addresses = {"10.1.0.2"};
  second.addresses = {"10.2.0.2"};
  for (const char* name : {"peer", "late"}) {
    if (std::string(name) == "late") first.addresses = {"10.1.0.3"}, second.addresses = {"10.2.0.3"};
    world.fabric.add_port(name, first);
    world.fabric.add_port(name, second);
    world.start(name);
  }
  world.options.labels.node = "b";
  world.mesh = std::make_unique<Mesh>(world.fabric.node("b"), world.channel, world.options);
  world.mesh->set_peers({{"peer", 9885, "", ""}});
  world.run(5 * kSecond);
  world.mesh->set_peers({{"peer", 9885, "", ""}, {"late", 9885, "", ""}});
  world.run(5 * kSecond);
  int sends = 0;
  for (const PeerProbe& each : world.mesh->facts().peers) {
    if (each.kind != "rc-send") continue;
    ++sends;
    EXPECT_GE(each.sent, 3U) << each.device << " " << each.peer;
  }
  EXPECT_EQ(sends, 4);
}

TEST(MeshSends, of_a_thousand_peers_fit_into_what_is_published) {
  Sending world(1);
  world.begin();
  world.run(45 * kSecond);
  const ProbeFacts facts = world.mesh->facts();
  ASSERT_EQ(facts.peers.size(), 4U);
  EXPECT_LT(probe_facts_json(facts).size() * 1000, kMaxProbeBytes) << "and each brought a digest of its own";
}

}  // namespace
}  // namespace roceready::probes

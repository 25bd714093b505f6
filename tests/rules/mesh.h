// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rules/scene.h"

namespace roceready::rules_test {

/// What the probes of the scene's node know.
inline ProbeFacts& probes(Scene& scene) {
  if (!scene.now().probes) {
    ProbeFacts facts;
    facts.window_seconds = 60;
    facts.running_seconds = 7200;
    scene.now().probes = facts;
  }
  return *scene.now().probes;
}

/// A peer to which all is well: a thousand probes answered, over four paths, none changed on its way. Valid until the
/// next one is added.
inline PeerProbe& add_peer(Scene& scene, const std::string& name, const std::string& kind = "ud") {
  PeerProbe peer;
  peer.device = "mlx5_0";
  peer.peer = name;
  peer.peer_device = "mlx5_0";
  peer.address = "10.0.0.17";
  peer.kind = kind;
  peer.size = 64;
  peer.sent = 1000;
  peer.rtt = ProbeTimes{1000, 3e-6, 4e-6, 5e-6, 9e-6, 20e-6};
  peer.prober_delay = peer.responder_delay = ProbeTimes{1000, 1e-6, 2e-6, 3e-6, 8e-6, 20e-6};
  peer.baseline_p50_seconds = 4e-6;
  peer.baseline_p99_seconds = 9e-6;
  peer.traffic_class = ProbeClass{26, 2, 26, 2, 62, 1000, 0, 0, 0};
  peer.lost_there = peer.lost_back = std::uint64_t{0};
  peer.mtu_size = 4056;
  peer.mtu_sent = 100;
  for (std::uint32_t path = 0; path < 4; ++path)
    peer.paths.push_back({path, 100 + path, 0, 49'152 + path, 250, 0,
                          Reading<ProbeTimes>(ProbeTimes{250, 3e-6, 4e-6, 5e-6, 9e-6, 20e-6})});
  peer.control_answers = true;
  peer.error = Absent{Why::NotPresent, "none"};
  probes(scene).peers.push_back(peer);
  return probes(scene).peers.back();
}

/// The same to `count` peers, node1:9885 on.
inline void add_peers(Scene& scene, std::size_t count) {
  for (std::size_t k = 1; k <= count; ++k) add_peer(scene, "node" + std::to_string(k) + ":9885");
}

/// A peer that says of itself what the scene's node would say of itself.
inline PortDigest& add_digest(Scene& scene, const std::string& name) {
  PortDigest port;
  port.device = "mlx5_0";
  port.trust = std::string("dscp");
  port.driver = std::string("mlx5_core");
  port.firmware = scene.eth0().ethtool.driver ? Reading<std::string>(scene.eth0().ethtool.driver->firmware)
                                              : Reading<std::string>(not_present());
  port.model = scene.nic().vendor_device;
  port.fec = field(scene.eth0().ethtool.fec, &FecFacts::active);
  port.pfc_mask = 8U;
  port.dscp_to_priority = std::map<std::string, std::uint32_t>{};
  port.mtu = scene.eth0().link.mtu;
  port.active_mtu = 4096U;
  port.speed_bits_per_second = field(scene.eth0().ethtool.link_modes, &LinkModes::speed_bits_per_second);
  port.roce_versions = std::vector<std::string>{"RoCE v1", "RoCE v2"};
  probes(scene).digests.push_back({name, 5, {"nvidia-lossless", "", {port}}});
  return probes(scene).digests.back().digest.ports.back();
}
inline void add_digests(Scene& scene, std::size_t count) {
  for (std::size_t k = 1; k <= count; ++k) add_digest(scene, "node" + std::to_string(k) + ":9885");
}
inline PortDigest& digest(Scene& scene, std::size_t peer) {
  return probes(scene).digests.at(peer).digest.ports.front();
}

/// What holds of every rule on probes: off is outside coverage, blocked and unreadable are unknown with their reason.
inline void expect_says_why_it_knows_nothing(const Rule& rule) {
  Scene off;
  off.now().probes = not_present();
  expect_not_looked_at(off.ask(rule), "not_configured");
  Scene old;
  expect_not_looked_at(old.ask(rule), "not_configured");
  Scene broken;
  broken.now().probes = Absent{Why::Malformed, "not JSON"};
  expect_unknown(broken.ask(rule), Why::Malformed);
}
/// Rules on what peers say of themselves: it is unknown why none does.
inline void expect_nobody_told_is_unknown_where_blocked(const Rule& rule) {
  for (const char* what : {"mlx5_0/1", "peers"}) {
    Scene blocked;
    probes(blocked).blocked[what] = "no secret";
    const Judgement said = blocked.ask(rule);
    expect_unknown(said, Why::NotPresent);
    EXPECT_NE(said.sentence.find("no secret"), std::string::npos) << words_of(said);
  }
  Scene early;
  probes(early).blocked["mlx5_7/1"] = "another port";
  expect_not_looked_at(early.ask(rule), "longer_window");
}
/// Six peers that say no more of themselves than their driver: nothing was compared.
inline Scene with_bare_digests() {
  Scene scene;
  for (std::size_t k = 1; k <= 6; ++k) {
    PortDigest bare;
    bare.device = "mlx5_0";
    bare.driver = std::string("mlx5_core");
    add_digest(scene, "node" + std::to_string(k) + ":9885") = bare;
  }
  return scene;
}
inline void expect_blocked_is_unknown(const Rule& rule) {
  Scene blocked;
  probes(blocked).blocked["mlx5_0/1"] = "no RoCE v2 GID";
  const Judgement said = blocked.ask(rule);
  expect_unknown(said, Why::NotPresent);
  EXPECT_NE(said.sentence.find("no RoCE v2 GID"), std::string::npos) << words_of(said);
  for (const char* what : {"RDMA", "peers", "/1", "mlx5_0/", "mlx5_0/x"}) {
    Scene node;
    add_peer(node, "node2:9885");
    probes(node).blocked[what] = "ib_uverbs is not loaded";
    const Judgement of_node = node.ask(rule);
    expect_unknown(of_node, Why::NotPresent);
    EXPECT_NE(of_node.sentence.find("ib_uverbs is not loaded"), std::string::npos) << words_of(of_node);
  }
  Scene alone;
  probes(alone).blocked["mlx5_7/1"] = "another port";
  expect_not_looked_at(alone.ask(rule), "not_configured");
  Scene unsent;
  PeerProbe& peer = add_peer(unsent, "node2:9885");
  peer.sent = peer.mtu_sent = 0;
  peer.not_sent = 40;
  peer.rtt = peer.total = peer.prober_delay = peer.responder_delay = Absent{Why::NotPresent, "nothing was sent"};
  peer.traffic_class = Absent{Why::NotPresent, "nothing was sent"};
  for (ProbePath& path : peer.paths) path.sent = 0;
  peer.error = std::string("cannot lock memory");
  const Judgement not_sent = unsent.ask(rule);
  expect_unknown(not_sent, Why::NotPresent);
  EXPECT_NE(not_sent.sentence.find("cannot lock memory"), std::string::npos) << words_of(not_sent);
}

}  // namespace roceready::rules_test

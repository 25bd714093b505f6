// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/rules/mesh.h"

namespace roceready::rules_test {

/// A run of the scene's port, idle at both ends and with a peer as fast as we are. Valid until the next one is added.
inline BandwidthRun& add_run(Scene& scene, double bits_per_second, const std::string& peer = "node2:9885") {
  BandwidthRun run;
  run.device = "mlx5_0";
  run.peer = peer;
  run.peer_device = "mlx5_0";
  run.peer_port = 1;
  run.address = "10.0.0.2";
  run.message_bytes = 65536;
  run.queue_pairs = 4;
  run.mtu_bytes = 4096;
  run.seconds = 2;
  run.bytes = static_cast<std::uint64_t>(bits_per_second / 4);
  run.bits_per_second = bits_per_second;
  run.other_bits_per_second = 1e6;
  run.peer_speed_bits_per_second = std::uint64_t{100'000'000'000};
  run.peer_busy_share = 0.0;
  probes(scene).bandwidth.push_back(run);
  return probes(scene).bandwidth.back();
}
inline BandwidthRun& add_loopback(Scene& scene, double bits_per_second) {
  BandwidthRun& run = add_run(scene, bits_per_second, "");
  run.loopback = true;
  run.peer_device = run.address = "";
  run.peer_port = 0;
  run.peer_speed_bits_per_second = not_present();
  run.peer_busy_share = not_present();
  return run;
}

/// Where nobody measured, whatever else is known of probes.
inline void expect_waits_for_a_person(const Rule& rule) {
  Scene off;
  off.now().probes = not_present();
  expect_not_looked_at(off.ask(rule), "on_demand");
  Scene broken;
  broken.now().probes = Absent{Why::Malformed, "not JSON"};
  expect_not_looked_at(broken.ask(rule), "on_demand");
  Scene mesh;
  add_peers(mesh, 2);
  expect_not_looked_at(mesh.ask(rule), "on_demand");
  Scene elsewhere;
  add_run(elsewhere, 1e9).device = "mlx5_7";
  add_loopback(elsewhere, 1e9).port = 2;
  const Judgement said = elsewhere.ask(rule);
  expect_not_looked_at(said, "on_demand");
  EXPECT_NE(said.settle_with.find("roceready probe --kind "), std::string::npos) << said.settle_with;
}

}  // namespace roceready::rules_test

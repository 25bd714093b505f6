// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "probes/mesh.h"
#include "tests/probes/pair.h"

namespace roceready::probes {

inline constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

/// Node "a" with a mesh, and peers that answer; all in virtual time.
struct World {
  doubles::FakeFabric fabric;
  FakeChannel channel;
  std::map<std::string, std::unique_ptr<Responder>> responders;
  std::vector<PeerAddress> peers;
  std::vector<std::byte> secret = secret_of("one secret of the fabric, long enough");
  MeshOptions options;
  std::unique_ptr<Mesh> mesh;
  bool fetchers_run = true, looks_at_mtus = true;
  std::set<std::string> starved;  ///< peers that come 4 ms late to everything, for want of a CPU
  std::set<std::string> stalled;  ///< peers that do nothing

  explicit World(int count = 2, doubles::FakePortSetup own = {}) {
    fabric.add_port("a", own);
    options.secret = secret;
    options.labels.node = "a";
    for (int i = 0; i < count; ++i) {
      doubles::FakePortSetup setup;
      setup.addresses = {"10.0.0." + std::to_string(10 + i)};
      const std::string name = "peer" + std::to_string(i);
      fabric.add_port(name, setup);
      peers.push_back({name, 9885, "", ""});
      start(name);
    }
  }
  void start(const std::string& name) {
    responders.erase(name);
    ResponderOptions wanted;
    wanted.secret = secret;
    wanted.labels.node = name;
    responders[name] = std::make_unique<Responder>(fabric.node(name), wanted);
    channel.peers[name + ":9885"] = responders[name].get();
  }
  void begin() {
    mesh = std::make_unique<Mesh>(fabric.node("a"), channel, options);
    mesh->set_peers(peers);
  }
  void run(std::int64_t ns, std::int64_t late_ns = 0) {
    const std::int64_t until = fabric.now_ns() + ns;
    while (fabric.now_ns() < until) {
      mesh->step(late_ns);
      if (looks_at_mtus) look_at_mtus();
      while (fetchers_run && mesh->fetch_one()) {
      }
      for (auto& [name, responder] : responders)
        if (!starved.contains(name) && !stalled.contains(name)) responder->step(0);
      if (fabric.now_ns() - starved_since_ns >= 4 * kMs) {
        starved_since_ns = fabric.now_ns();
        for (const std::string& name : starved) fabric.waited(name, 4 * kMs), responders.at(name)->step(0);
      }
      const auto next = fabric.next_ns();
      const std::int64_t gap = next ? *next - fabric.now_ns() : 5 * kMs;
      fabric.advance(std::clamp<std::int64_t>(gap, 100, 5 * kMs));
    }
  }
  /// As the threads of all nodes do.
  void look_at_mtus() {
    mesh->look_at_mtus();
    for (auto& [name, responder] : responders) responder->look_at_mtus();
  }
  /// A peer gets no CPU for so long, and answers then.
  void stall(const std::string& peer, std::int64_t ns) {
    stalled.insert(peer);
    run(ns);
    stalled.erase(peer);
    fabric.waited(peer, ns);
  }
  std::int64_t starved_since_ns = 0;
  PeerProbe of(const std::string& peer, const std::string& kind = "ud") {
    for (const PeerProbe& each : mesh->facts().peers)
      if (each.peer == peer + ":9885" && each.kind == kind) return each;
    ADD_FAILURE() << "no such link: " << peer << " " << kind;
    return {};
  }
};

}  // namespace roceready::probes

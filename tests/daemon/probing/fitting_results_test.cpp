// SPDX-License-Identifier: Apache-2.0
#include "daemon/probing/fitting_results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/snapshot/probe_json.h"

namespace roceready::daemon {
namespace {

constexpr std::size_t kPorts = 8;

std::string peer_name(std::size_t peer) {
  return "node" + std::to_string(peer) + ":9885";
}

/// To which all is well, as a mesh tells it.
PeerProbe fine_probe(std::size_t port, std::size_t peer, const std::string& kind) {
  PeerProbe out;
  out.device = out.peer_device = "mlx5_" + std::to_string(port);
  out.peer = peer_name(peer);
  out.address = "10.0.0.17";
  out.kind = kind;
  out.sent = out.total_sent = 120;
  out.rtt = out.total = out.prober_delay = out.responder_delay = ProbeTimes{120, 3e-6, 4e-6, 5e-6, 9e-6, 20e-6};
  out.baseline_p50_seconds = 4e-6;
  out.baseline_p99_seconds = 9e-6;
  out.traffic_class = ProbeClass{26, 2, 26, 2, 62, 120, 0, 0, 0};
  out.control_answers = true;
  out.error = Absent{Why::NotPresent, "none"};
  for (std::uint32_t path = 0; kind == "ud" && path < 4; ++path)
    out.paths.push_back({path, 100 + path, 0, 49'152 + path, 30, 0, ProbeTimes{30, 3e-6, 4e-6, 5e-6, 9e-6, 20e-6}});
  return out;
}

/// Eight ports, each of which probes each peer by all five kinds.
ProbeFacts facts_of(std::size_t peers) {
  ProbeFacts out;
  out.window_seconds = 60;
  out.running_seconds = 7200;
  for (std::size_t port = 0; port < kPorts; ++port)
    for (std::size_t peer = 0; peer < peers; ++peer)
      for (const char* kind : {"rc-read", "rc-send", "rc-write", "rdmacm", "ud"})
        out.peers.push_back(fine_probe(port, peer, kind));
  for (std::size_t peer = 0; peer < peers; ++peer) {
    PeerDigest digest;
    digest.peer = peer_name(peer);
    for (std::size_t port = 0; port < kPorts; ++port) {
      digest.digest.ports.emplace_back().device = "mlx5_" + std::to_string(port);
      digest.digest.ports.back().driver = std::string("mlx5_core");
    }
    out.digests.push_back(std::move(digest));
  }
  return out;
}

PeerProbe& probe_of(ProbeFacts& facts, std::size_t port, std::size_t peer, const std::string& kind) {
  for (PeerProbe& probe : facts.peers)
    if (probe.device == "mlx5_" + std::to_string(port) && probe.peer == peer_name(peer) && probe.kind == kind)
      return probe;
  ADD_FAILURE() << "no such probe";
  return facts.peers.front();
}

/// How many entries are told of each peer.
std::map<std::string, std::size_t> told_in(const ProbeFacts& facts) {
  std::map<std::string, std::size_t> out;
  for (const PeerProbe& probe : facts.peers) ++out[probe.peer];
  return out;
}

TEST(FittingResults, are_all_where_all_fit) {
  ProbeFacts facts = facts_of(20);
  const std::string whole = probe_facts_json(facts);
  EXPECT_EQ(fitting_results(facts), whole);
  EXPECT_EQ(facts.peers_left_out, 0U);
}

TEST(FittingResults, of_eight_ports_and_six_hundred_peers_hold_what_fits_with_faults_first) {
  constexpr std::size_t kPeers = 600;
  ProbeFacts facts = facts_of(kPeers);
  ASSERT_GT(facts.peers.size(), kMaxProbedPeers);
  std::set<std::string> faulty;
  const auto spoil = [&](std::size_t peer, auto&& change) {
    PeerProbe& probe = probe_of(facts, peer % kPorts, peer, "ud");
    change(probe);
    faulty.insert(probe.peer);
  };
  spoil(3, [](PeerProbe& probe) { probe.lost = 1; });
  spoil(101, [](PeerProbe& probe) { probe.lost_in_row = 1; });
  spoil(202, [](PeerProbe& probe) { probe.mtu_sent = probe.mtu_lost = 1; });
  spoil(303, [](PeerProbe& probe) { probe.slow_windows = 3; });
  spoil(404, [](PeerProbe& probe) { probe.traffic_class->rewritten = 1; });
  spoil(505, [](PeerProbe& probe) { probe.control_answers = false; });
  spoil(598, [](PeerProbe& probe) { probe.paths[2].rtt = ProbeTimes{30, 1e-4, 2e-4, 3e-4, 4e-4, 5e-4}; });
  probe_of(facts, 7, 599, "rdmacm").lost = 1;
  faulty.insert(peer_name(599));
  const ProbeFacts before = facts;

  const auto read = probe_facts_from_json(fitting_results(facts));
  ASSERT_TRUE(read) << read.error().text();
  const auto told = told_in(*read);
  EXPECT_GT(told.size(), 100U);
  EXPECT_EQ(read->peers_left_out + told.size(), kPeers);
  EXPECT_EQ(read->peers_left_out, facts.peers_left_out);
  for (const std::string& peer : faulty) EXPECT_TRUE(told.contains(peer)) << peer;
  for (const auto& [peer, entries] : told) EXPECT_EQ(entries, kPorts * 5) << peer << " is told whole";
  EXPECT_EQ(read->digests.size(), told.size());
  for (const PeerDigest& digest : read->digests) EXPECT_TRUE(told.contains(digest.peer)) << digest.peer;
  ASSERT_EQ(read->fine_left_out.size(), kPorts);
  for (const FineProbes& fine : read->fine_left_out) {
    EXPECT_EQ(fine.peers, read->peers_left_out) << fine.device;
    EXPECT_EQ(fine.sent, std::uint64_t{120} * 4 * fine.peers) << "what the connection manager tries is no probe";
  }
  const auto sorted = [](const PeerProbe& a, const PeerProbe& b) {
    return a.device != b.device ? a.device < b.device : std::stoul(a.peer.substr(4)) < std::stoul(b.peer.substr(4));
  };
  EXPECT_TRUE(std::is_sorted(read->peers.begin(), read->peers.end(), sorted)) << "in the order in which they stood";

  ProbeFacts again = before;
  (void)fitting_results(again);
  EXPECT_EQ(told_in(again), told) << "the same ones each time";
}

TEST(FittingResults, tell_of_as_many_as_fit_where_all_have_faults_or_say_much_of_themselves) {
  ProbeFacts facts = facts_of(600);
  for (PeerProbe& probe : facts.peers) {
    probe.lost = probe.lost_in_row = 40;
    probe.error = std::string(1024, '"');  // twice as long when it is written
  }
  const auto read = probe_facts_from_json(fitting_results(facts));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_GT(told_in(*read).size(), 50U);
  EXPECT_GT(read->peers_left_out, 0U);
  EXPECT_TRUE(read->fine_left_out.empty()) << "none is";

  ProbeFacts digests;
  PeerDigest much;
  much.digest.ports.resize(16);
  for (std::size_t peer = 0; peer < 2500; ++peer) {
    much.peer = peer_name(peer);
    digests.digests.push_back(much);
  }
  const auto few = probe_facts_from_json(fitting_results(digests));
  ASSERT_TRUE(few) << few.error().text();
  EXPECT_GT(few->digests.size(), 0U);
  EXPECT_EQ(few->digests.size() + few->peers_left_out, 2500U);
}

TEST(FittingResults, tell_peers_that_could_not_be_tried_before_those_that_are_fine) {
  ProbeFacts facts = facts_of(600);
  for (PeerProbe& probe : facts.peers)
    if (probe.peer == peer_name(77)) probe.sent = 0, probe.not_sent = 120;
  (void)fitting_results(facts);
  const auto told = told_in(facts);
  EXPECT_TRUE(told.contains(peer_name(77)));
}

}  // namespace
}  // namespace roceready::daemon

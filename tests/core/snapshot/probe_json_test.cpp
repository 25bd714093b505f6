// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/probe_json.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace roceready {
namespace {

ProbeFacts facts() {
  ProbeFacts out;
  out.window_seconds = 20;
  out.running_seconds = 3600;
  PeerProbe peer;
  peer.device = "mlx5_0";
  peer.peer = "node17:9885";
  peer.kind = "ud";
  peer.sent = 40;
  peer.lost = 1;
  peer.rtt = ProbeTimes{39, 3e-6, 4e-6, 5e-6, 9e-6, 12e-6};
  peer.traffic_class = ProbeClass{26, 2, 0, 2, 61, 39, 39, 0, 4};
  peer.paths = {{0, 17, 5, 49213U, 40, 1, Absent{Why::NotPresent, "no answer"}}};
  peer.error = Absent{Why::NotPresent, ""};
  peer.responder_late = 5;
  peer.lost_there = std::uint64_t{1};
  peer.lost_back = Absent{Why::NotSupported, ""};
  out.peers = {peer};
  PortDigest port;
  port.device = "mlx5_1";
  port.pfc_mask = 8U;
  port.dscp_to_priority = std::map<std::string, std::uint32_t>{{"26", 3}};
  out.digests = {{"node17:9885", 12.5, {"nvidia-lossless", "gpu", {port}}}};
  port.findings = std::map<std::string, std::string>{{"link-flap", "warning"}};
  port.rx_pause_share = 0.05;
  out.own = {"nvidia-lossless", "", {port}, "leaf-a"};
  out.arrivals = {{"mlx5_0", 1, 20, {{"26", 400}}, 2}};
  out.digests[0].carrier_lost_seconds_ago["mlx5_0/1"] = 12;
  ProbeHistogram histogram;
  histogram.device = "mlx5_0";
  histogram.kind = "ud";
  histogram.counts.assign(kProbeBounds.size() + 1, 3);
  histogram.sum_seconds = 0.5;
  out.histograms = {histogram};
  out.blocked = {{"mlx5_2/1", "no RoCE v2 GID"}};
  out.peers_left_out = 7;
  out.fine_left_out = {{"mlx5_0", 1, 6, 2400}};
  out.problems = {"probes.peers_dns nodes: Name or service not known"};
  BandwidthRun run;
  run.device = "mlx5_0";
  run.peer = "node17:9885";
  run.peer_device = "mlx5_1";
  run.message_bytes = 65536;
  run.queue_pairs = 4;
  run.bytes = 25'000'000'000;
  run.seconds = 2;
  run.bits_per_second = 1e11;
  run.other_bits_per_second = Absent{Why::Denied, "EPERM"};
  run.peer_speed_bits_per_second = std::uint64_t{100'000'000'000};
  run.peer_busy_share = 0.01;
  out.bandwidth = {run};
  return out;
}

/// What `text` is refused for, "" where it is not.
std::string refusal(const std::string& text) {
  const auto read = probe_facts_from_json(text);
  if (read) return "";
  EXPECT_EQ(read.error().code, ErrorCode::Malformed);
  return read.error().text();
}

std::string refusal_of(const std::function<void(ProbeFacts&)>& change) {
  ProbeFacts changed = facts();
  change(changed);
  return refusal(probe_facts_json(changed));
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = probe_facts_json(facts());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ProbeJson, refuses_a_histogram_of_another_shape) {
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.histograms[0].counts.pop_back(); }).find("histograms[0]"),
            std::string::npos);
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.histograms[0].sum_seconds = -1; }).find("negative"), std::string::npos);
}

TEST(ProbeJson, refuses_measurements_that_cannot_be) {
  using Change = std::function<void(BandwidthRun&)>;
  for (const Change& change : std::vector<Change>{
           [](BandwidthRun& run) { run.seconds = -1; }, [](BandwidthRun& run) { run.seconds = 0; },
           [](BandwidthRun& run) { run.bytes = 0; }, [](BandwidthRun& run) { run.waited_seconds = 1e9; },
           [](BandwidthRun& run) { run.bits_per_second = -1; }, [](BandwidthRun& run) { run.bits_per_second = 1e300; },
           [](BandwidthRun& run) { run.other_bits_per_second = -1; },
           [](BandwidthRun& run) { run.peer_busy_share = 1.1; },
           [](BandwidthRun& run) { run.peer = std::string(2000, 'x'); }})
    EXPECT_NE(refusal_of([&](ProbeFacts& f) { change(f.bandwidth[0]); }).find("bandwidth[0]"), std::string::npos);
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.bandwidth.resize(kMaxBandwidthRuns + 1); }).find("1024"),
            std::string::npos);
}

TEST(ProbeJson, comes_back_as_it_was) {
  const std::string text = probe_facts_json(facts());
  const auto back = probe_facts_from_json(text);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(probe_facts_json(*back), text);
  EXPECT_EQ(back->peers[0].traffic_class->marked, 4U);
  EXPECT_EQ(back->peers_left_out, 7U);
  EXPECT_EQ(back->fine_left_out.at(0).sent, 2400U);
  EXPECT_EQ(back->problems, facts().problems);
  EXPECT_EQ(back->bandwidth.at(0).bytes, 25'000'000'000U);
  EXPECT_EQ(back->digests[0].digest.ports[0].dscp_to_priority->at("26"), 3U);
}

TEST(ProbeJson, refuses_what_is_no_json_or_too_deep_or_too_long) {
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("[]"), "");
  EXPECT_NE(refusal(probe_facts_json(facts()).substr(1)), "");
  EXPECT_NE(refusal(std::string(100'000, '[')).find("nested"), std::string::npos);
  EXPECT_NE(refusal(std::string(kMaxProbeBytes + 1, ' ')).find("longer than"), std::string::npos);
}

TEST(ProbeJson, refuses_numbers_that_cannot_be) {
  EXPECT_NE(refusal(with("\"window_seconds\":20.0", "\"window_seconds\":NaN")), "");
  EXPECT_NE(refusal(with("\"window_seconds\":20.0", "\"window_seconds\":1e999")), "");
  EXPECT_NE(refusal(with("\"window_seconds\":20.0", "\"window_seconds\":-1")), "");
  EXPECT_NE(refusal(with("\"sent\":\"40\"", "\"sent\":-40")), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.core_share = std::numeric_limits<double>::quiet_NaN(); }), "");
}

TEST(ProbeJson, refuses_more_lost_than_sent_and_names_the_peer) {
  EXPECT_EQ(refusal_of([](ProbeFacts& f) { f.peers[0].lost = 41; }), "more probes were lost than sent (peers[0])");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].mtu_lost = 1; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].total_lost = 1; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].paths[0].lost = 41; }), "");
}

TEST(ProbeJson, refuses_times_that_are_negative_disordered_or_of_no_answer) {
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].rtt->min_seconds = -1e-6; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].rtt->p99_seconds = 1e-6; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].rtt->count = 0; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].baseline_p50_seconds = -1.0; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.digests[0].age_seconds = -1; }), "");
}

TEST(ProbeJson, refuses_header_fields_out_of_their_ranges) {
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].traffic_class->dscp_received = 64; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].traffic_class->ecn_received = 4; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].traffic_class->ttl = 256; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].traffic_class->rewritten = 40; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].paths[0].udp_source_port = 65'536U; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.digests[0].digest.ports[0].pfc_mask = 256U; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].slow_windows = 6; }), "");
}

TEST(ProbeJson, is_bounded_in_peers_paths_ports_and_words) {
  ProbeFacts many;
  many.digests.assign(kMaxProbedPeers + 1, PeerDigest{});
  EXPECT_FALSE(check(many));
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].paths.assign(kMaxPathsOfPeer + 1, ProbePath{}); }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.digests[0].digest.ports.assign(kMaxPortsOfDigest + 1, PortDigest{}); }),
            "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].peer.assign(2000, 'x'); }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.peers[0].error = std::string(2000, 'x'); }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.problems.assign(kMaxProbeProblems + 1, "x"); }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& f) { f.problems[0].assign(2000, 'x'); }), "");
}

TEST(ProbeJson, takes_what_is_left_out_as_not_known) {
  const auto read = probe_facts_from_json(R"({"peers": [{"device": "mlx5_0", "peer": "b", "kind": "ud"}]})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_FALSE(read->peers[0].rtt);
  EXPECT_EQ(read->peers[0].rtt.absent().why, Why::NotRecorded);
  EXPECT_TRUE(read->problems.empty()) << "of an older recording";
  EXPECT_EQ(read->peers_left_out, 0U);
}

TEST(ProbeJson, writes_bytes_that_are_not_utf8) {
  ProbeFacts odd = facts();
  odd.peers[0].peer = "node\xff";
  EXPECT_EQ(refusal(probe_facts_json(odd)), "");
}

TEST(ProbeJson, refuses_arrivals_and_losses_of_a_carrier_that_cannot_be) {
  EXPECT_EQ(refusal_of([](ProbeFacts& facts) { facts.arrivals = {{"mlx5_0", 1, 20, {{"26", 400}}, 0}}; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& facts) { facts.arrivals = {{"mlx5_0", 1, 20, {{"64", 400}}, 0}}; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& facts) { facts.arrivals = {{"mlx5_0", 1, -1, {}, 0}}; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& facts) { facts.digests[0].carrier_lost_seconds_ago["mlx5_0/1"] = -1; }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& facts) { facts.own.ports.resize(300); }), "");
  EXPECT_NE(refusal_of([](ProbeFacts& facts) { facts.digests[0].digest.ports[0].rx_line_share = 1.1; }), "");
}

TEST(NodeDigestJson, comes_back_and_is_bounded) {
  const NodeDigest digest = facts().digests[0].digest;
  const auto back = node_digest_from_json(node_digest_json(digest));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(node_digest_json(*back), node_digest_json(digest));
  EXPECT_FALSE(node_digest_from_json(std::string(kMaxDigestBytes + 1, ' ')));
  EXPECT_FALSE(node_digest_from_json(R"({"ports": [{"device": "a", "colour": "red"}]})"));
  NodeDigest wrong = digest;
  wrong.ports[0].pfc_mask = 999U;
  EXPECT_FALSE(node_digest_from_json(node_digest_json(wrong)));
}

}  // namespace
}  // namespace roceready

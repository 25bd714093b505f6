// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/probe_metrics.h"

#include <gtest/gtest.h>

#include "daemon/export/exposition.h"
#include "daemon/export/families.h"

namespace roceready::daemon {
namespace {

std::string text_of(const ProbeFacts& probes) {
  Families families;
  add_probes(families, probes);
  return exposition(families, MetricsFormat::Text);
}

PeerProbe peer(const std::string& name) {
  PeerProbe out;
  out.device = "mlx5_0";
  out.peer = name;
  out.peer_device = "mlx5_1";
  out.kind = "ud";
  out.total_sent = 120;
  out.total_lost = 3;
  out.total_rewritten = 2;
  return out;
}

bool has(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(ProbeMetrics, are_one_histogram_a_port_and_kind) {
  ProbeFacts probes;
  ProbeHistogram histogram;
  histogram.device = "mlx5_0";
  histogram.kind = "ud";
  histogram.counts.assign(kProbeBounds.size() + 1, 1);
  histogram.sum_seconds = 0.25;
  probes.histograms = {histogram};
  const std::string text = text_of(probes);
  EXPECT_TRUE(has(text, "# TYPE roce_probe_rtt_seconds histogram")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_rtt_seconds_bucket{device="mlx5_0",port="1",kind="ud",le="2e-06"} 1)")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_rtt_seconds_bucket{device="mlx5_0",port="1",kind="ud",le="+Inf"} 17)")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_rtt_seconds_sum{device="mlx5_0",port="1",kind="ud"} 0.25)"));
  EXPECT_TRUE(has(text, R"(roce_probe_rtt_seconds_count{device="mlx5_0",port="1",kind="ud"} 17)"));
}

TEST(ProbeMetrics, leave_out_connections_which_are_no_packets) {
  ProbeFacts probes;
  probes.peers = {peer("node1:9885")};
  probes.peers[0].kind = "rdmacm";
  EXPECT_EQ(text_of(probes).find("node1:9885"), std::string::npos);
}

TEST(ProbeMetrics, leave_out_a_histogram_of_another_shape) {
  ProbeFacts probes;
  probes.histograms.resize(1);
  probes.histograms[0].counts = {1, 2};
  EXPECT_EQ(text_of(probes).find("roce_probe_rtt_seconds_count"), std::string::npos);
}

TEST(ProbeMetrics, have_no_sample_for_what_was_not_measured) {
  ProbeFacts probes;
  probes.peers = {peer("node1:9885"), peer("node2:9885")};
  probes.peers[0].rtt = ProbeTimes{10, 1e-6, 2e-6, 3e-6, 4e-6, 5e-6};
  probes.peers[0].traffic_class = ProbeClass{};
  const std::string labels = R"({device="mlx5_0",port="1",kind="ud",peer="node1:9885",peer_device="mlx5_1"})";
  const std::string text = text_of(probes);
  EXPECT_TRUE(has(text, "roce_probe_sent_packets_total" + labels + " 120")) << text;
  EXPECT_TRUE(has(text, "roce_probe_lost_packets_total" + labels + " 3"));
  EXPECT_TRUE(has(text, "roce_probe_rtt_p99_seconds" + labels + " 4e-06"));
  EXPECT_TRUE(has(text, "roce_probe_dscp_mismatches_total" + labels + " 2"));
  EXPECT_EQ(text.find("p50_seconds{device=\"mlx5_0\",port=\"1\",kind=\"ud\",peer=\"node2"), std::string::npos);
  EXPECT_EQ(text.find("mismatches_total{device=\"mlx5_0\",port=\"1\",kind=\"ud\",peer=\"node2"), std::string::npos);
}

TEST(ProbeMetrics, are_bounded_and_say_how_many_peers_they_leave_out) {
  ProbeFacts probes;
  for (int k = 0; k < 1000; ++k) probes.peers.push_back(peer("node" + std::to_string(k) + ":9885"));
  probes.blocked["mlx5_1/1"] = "no memory may be locked";
  const std::string text = text_of(probes);
  EXPECT_TRUE(has(text, R"(roce_probe_peers_dropped{device="mlx5_0",port="1"} 872)")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_blocked{device="mlx5_1",port="1"} 1)"));
  std::size_t series = 0;
  for (std::size_t at = text.find("\nroce_probe_sent"); at != std::string::npos;
       at = text.find("\nroce_probe_sent", at + 1))
    ++series;
  EXPECT_EQ(series, kMostProbedPeers);
}

TEST(ProbeMetrics, show_the_datagrams_of_all_peers_before_their_connections) {
  ProbeFacts probes;
  for (int k = 0; k < 100; ++k)
    for (const char* kind : {"rc-read", "rc-send", "rc-write", "ud"}) {
      probes.peers.push_back(peer("node" + std::to_string(k) + ":9885"));
      probes.peers.back().kind = kind;
    }
  const std::string text = text_of(probes);
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  const std::string sent = R"(roce_probe_sent_packets_total{device="mlx5_0",port="1",kind=)";
  EXPECT_EQ(count(sent + R"("ud")"), 100U);
  EXPECT_EQ(count(sent + R"("rc-)"), kMostProbedPeers - 100);
  EXPECT_TRUE(has(text, R"(roce_probe_peers_dropped{device="mlx5_0",port="1"} 272)"));
}

TEST(ProbeMetrics, count_what_was_not_taken_by_side_and_reason) {
  ProbeRefusals refused;
  refused.replies = ProbeRefusals::Counts{{"forged", 3}, {"replayed", 0}};
  refused.answers = ProbeRefusals::Counts{{"received_before_sent", 7}};
  refused.probes = ProbeRefusals::Counts{{"forged", 5}};
  refused.connections = 6;
  Families families;
  add_probe_refusals(families, refused);
  const std::string text = exposition(families, MetricsFormat::Text);
  EXPECT_TRUE(has(text, "# TYPE roce_probe_refused_packets_total counter")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_refused_packets_total{side="prober",reason="forged"} 3)")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_refused_packets_total{side="prober",reason="replayed"} 0)")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_refused_packets_total{side="responder",reason="forged"} 5)")) << text;
  EXPECT_TRUE(has(text, R"(roce_probe_discarded_answers_total{reason="received_before_sent"} 7)")) << text;
  EXPECT_TRUE(has(text, "roce_probe_refused_connections_total 6")) << text;
  Families none;
  add_probe_refusals(none, {});
  EXPECT_EQ(exposition(none, MetricsFormat::Text).find("side="), std::string::npos) << "what is not counted";
}

}  // namespace
}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "daemon/export/probe_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "daemon/export/families.h"
#include "probes/cm_prober.h"

namespace roceready::daemon {
namespace {

using prometheus::MetricType;
using PortId = std::pair<std::string, std::uint32_t>;  // device and port

Labels labels_of(const std::string& device, std::uint32_t port, const std::string& kind) {
  return {{"device", clean_text(device)}, {"port", std::to_string(port)}, {"kind", clean_text(kind)}};
}

void add_histograms(Families& out, const std::vector<ProbeHistogram>& histograms) {
  out.push_back(family("roce_probe_rtt_seconds",
                       "Round trips of RDMA probes of a port to all its peers: the network and both NICs.",
                       MetricType::Histogram));
  for (const ProbeHistogram& one : histograms) {
    if (one.counts.size() != kProbeBounds.size() + 1 || !std::isfinite(one.sum_seconds)) continue;
    prometheus::ClientMetric& metric = out.back().metric.emplace_back();
    metric.label = labels_of(one.device, one.port, one.kind);
    std::uint64_t so_far = 0;
    for (std::size_t k = 0; k < one.counts.size(); ++k) {
      so_far += one.counts[k];
      const double bound = k < kProbeBounds.size() ? kProbeBounds[k] : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({so_far, bound});
    }
    metric.histogram.sample_count = so_far;
    metric.histogram.sample_sum = one.sum_seconds;
  }
}

/// Families of one sample a peer.
struct PeerFamilies {
  prometheus::MetricFamily sent = family("roce_probe_sent_packets_total", "RDMA probes sent.", MetricType::Counter);
  prometheus::MetricFamily lost =
      family("roce_probe_lost_packets_total", "RDMA probes without an answer in time.", MetricType::Counter);
  prometheus::MetricFamily p50 =
      family("roce_probe_rtt_p50_seconds", "Median round trip in the window of the probes.", MetricType::Gauge);
  prometheus::MetricFamily p99 =
      family("roce_probe_rtt_p99_seconds", "99th percentile of the round trip in the window.", MetricType::Gauge);
  prometheus::MetricFamily rewritten =
      family("roce_probe_dscp_mismatches_total", "RDMA probes that arrived with another DSCP than they were sent with.",
             MetricType::Counter);

  void add(const PeerProbe& peer) {
    Labels labels = labels_of(peer.device, peer.port, peer.kind);
    labels.push_back({"peer", clean_text(peer.peer)});
    labels.push_back({"peer_device", clean_text(peer.peer_device)});
    add_sample(sent, labels, static_cast<double>(peer.total_sent));
    add_sample(lost, labels, static_cast<double>(peer.total_lost));
    if (peer.rtt) {
      add_sample(p50, labels, peer.rtt->p50_seconds);
      add_sample(p99, labels, peer.rtt->p99_seconds);
    }
    if (peer.traffic_class) add_sample(rewritten, std::move(labels), static_cast<double>(peer.total_rewritten));
  }
  void move_to(Families& out) {
    for (auto* each : {&sent, &lost, &p50, &p99, &rewritten}) out.push_back(std::move(*each));
  }
};

/// Whose series a port has room for: datagrams of each peer first, then its connections, since it is by datagrams that
/// peers are compared.
class SeriesRoom {
 public:
  explicit SeriesRoom(const std::vector<PeerProbe>& peers) {
    for (const PeerProbe& peer : peers)
      if (is_datagram(peer)) ++left_[{peer.device, peer.port}].of_datagrams;
    for (const PeerProbe& peer : peers) {
      Left& left = left_[{peer.device, peer.port}];
      left.of_datagrams = std::min(left.of_datagrams, kMostProbedPeers);
      left.of_connections = kMostProbedPeers - left.of_datagrams;
    }
  }
  bool take(const PeerProbe& peer) {
    Left& left = left_[{peer.device, peer.port}];
    std::size_t& places = is_datagram(peer) ? left.of_datagrams : left.of_connections;
    if (places == 0) return false;
    --places;
    return true;
  }

 private:
  struct Left {
    std::size_t of_datagrams = 0, of_connections = 0;
  };
  static bool is_datagram(const PeerProbe& peer) { return peer.kind == "ud"; }
  std::map<PortId, Left> left_;
};

void add_cost(Families& out, const ProbeFacts& probes) {
  const auto single = [&](const char* name, const char* help, double value) {
    out.push_back(family(name, help, MetricType::Gauge));
    add_sample(out.back(), {}, value);
  };
  single("roce_probe_packets_per_second", "Probes and answers to probes that this node sends.",
         probes.packets_per_second);
  single("roce_probe_bytes_per_second", "Bytes of payload of these probes and answers.", probes.bytes_per_second);
  single("roce_probe_core_share_ratio", "Share of one core that probing takes.", probes.core_share);
}

}  // namespace

void add_probes(Families& out, const ProbeFacts& probes) {
  add_histograms(out, probes.histograms);
  PeerFamilies peers;
  std::map<PortId, std::size_t> hidden;
  SeriesRoom room(probes.peers);
  for (const PeerProbe& peer : probes.peers) {
    if (peer.kind == probes::kCmKind) continue;
    if (room.take(peer))
      peers.add(peer);
    else
      ++hidden[{peer.device, peer.port}];
  }
  peers.move_to(out);
  out.push_back(family("roce_probe_peers_dropped",
                       "Peers, by each kind of probe, that have no series of their own here, because a port shows at "
                       "most 128; datagrams come first.",
                       MetricType::Gauge));
  for (const auto& [port, count] : hidden)
    add_sample(out.back(), {{"device", clean_text(port.first)}, {"port", std::to_string(port.second)}},
               static_cast<double>(count));
  out.push_back(
      family("roce_probe_blocked", "1 for a port that cannot probe; the report says why.", MetricType::Gauge));
  for (const auto& [port, why] : probes.blocked) {
    const auto slash = port.rfind('/');
    add_sample(out.back(),
               {{"device", clean_text(port.substr(0, slash))},
                {"port", slash == std::string::npos ? "" : clean_text(port.substr(slash + 1))}},
               1);
  }
  add_cost(out, probes);
}

void add_probe_refusals(Families& out, const ProbeRefusals& refused) {
  out.push_back(family("roce_probe_refused_packets_total",
                       "Messages to the queue pairs of RDMA probes that were not taken, by side and reason.",
                       MetricType::Counter));
  const auto add = [&](const char* side, const std::optional<ProbeRefusals::Counts>& counts) {
    if (!counts) return;
    for (const auto& [reason, count] : *counts)
      add_sample(out.back(), {{"side", side}, {"reason", reason}}, static_cast<double>(count));
  };
  add("prober", refused.replies);
  add("responder", refused.probes);
  if (refused.connections) {
    out.push_back(family("roce_probe_refused_connections_total",
                         "Connections by the RDMA connection manager that the responder refused: of no session, too "
                         "often of one, or without room or a queue pair.",
                         MetricType::Counter));
    add_sample(out.back(), {}, static_cast<double>(*refused.connections));
  }
  if (!refused.answers) return;
  out.push_back(family("roce_probe_discarded_answers_total", "Answers to RDMA probes whose times cannot be, by reason.",
                       MetricType::Counter));
  for (const auto& [reason, count] : *refused.answers)
    add_sample(out.back(), {{"reason", reason}}, static_cast<double>(count));
}

}  // namespace roceready::daemon

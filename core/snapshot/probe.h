// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/reading.h"

namespace roceready {

/// Distribution of one of a probe's times over the window. Quantiles are observed values, none is interpolated.
struct ProbeTimes {
  std::uint64_t count = 0;  ///< answers with a valid value
  double min_seconds = 0, p50_seconds = 0, p90_seconds = 0, p99_seconds = 0, max_seconds = 0;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("count", self.count);
    visit("min_seconds", self.min_seconds);
    visit("p50_seconds", self.p50_seconds);
    visit("p90_seconds", self.p90_seconds);
    visit("p99_seconds", self.p99_seconds);
    visit("max_seconds", self.max_seconds);
  }
};

/// Probes of one kind and size to a peer's port over one path, and how many had no answer.
struct ProbePath {
  std::uint32_t path = 0;                  ///< index from 0
  std::uint32_t source_qp = 0;             ///< queue pair number of the sender
  std::uint32_t flow_label = 0;            ///< as asked for
  Reading<std::uint32_t> udp_source_port;  ///< NotSupported: the driver does not make it known
  std::uint64_t sent = 0, lost = 0;
  Reading<ProbeTimes> rtt;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("path", self.path);
    visit("source_qp", self.source_qp);
    visit("flow_label", self.flow_label);
    visit("udp_source_port", self.udp_source_port);
    visit("sent", self.sent);
    visit("lost", self.lost);
    visit("rtt", self.rtt);
  }
};

/// How packets left and in which class they arrived at the peer, over the window. From the GRH that the responder was
/// given; believed only with a valid IPv4 header checksum or IP version 6.
struct ProbeClass {
  std::uint32_t dscp_sent = 0, ecn_sent = 0;
  std::uint32_t dscp_received = 0, ecn_received = 0, ttl = 0;  ///< of the newest packet
  std::uint64_t seen = 0;                                      ///< packets whose header was believed
  std::uint64_t rewritten = 0;                                 ///< of these, with another DSCP
  std::uint64_t bleached = 0;                                  ///< sent as ECT, received as not-ECT
  std::uint64_t marked = 0;                                    ///< received as CE
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("dscp_sent", self.dscp_sent);
    visit("ecn_sent", self.ecn_sent);
    visit("dscp_received", self.dscp_received);
    visit("ecn_received", self.ecn_received);
    visit("ttl", self.ttl);
    visit("seen", self.seen);
    visit("rewritten", self.rewritten);
    visit("bleached", self.bleached);
    visit("marked", self.marked);
  }
};

/// What one of this node's ports learned of one port of a peer, by one kind of probe, in the window.
struct PeerProbe {
  std::string device;      ///< ours
  std::uint32_t port = 1;  ///< ours
  std::string peer;        ///< as configured: "node17:9885"
  std::string peer_device;
  std::uint32_t peer_port = 1;
  std::string address;               ///< IP of the peer's GID
  std::string label;                 ///< top-of-rack label of the peer, "" where none is configured
  bool inside = false;               ///< the peer has our own label
  std::string kind;                  ///< "ud", "rc-write", "rc-read", "rc-send"
  std::uint32_t size = 0;            ///< payload bytes of small probes
  std::uint64_t sent = 0, lost = 0;  ///< in the window; a probe that could not be sent is in neither
  std::uint64_t not_sent = 0;        ///< in the window: no resources, budget, port down
  std::uint32_t lost_in_row = 0;     ///< newest probes without an answer
  std::uint64_t total_sent = 0, total_lost = 0, total_rewritten = 0;  ///< since the engine began
  std::uint64_t discarded = 0;  ///< answers with negative or impossible times, in the window
  Reading<ProbeTimes> rtt, total, prober_delay, responder_delay;
  Reading<double> baseline_p50_seconds, baseline_p99_seconds;  ///< of rtt, of a calm path under the present load
  std::uint32_t slow_windows = 0;    ///< of the last 5 minutes: those slow against the baseline of their load
  std::uint64_t late_polls = 0;      ///< probes whose answer lay unread because this host was late
  std::uint64_t responder_late = 0;  ///< answers in the window to which the peer's host came late, so it says
  /// Of `lost`, and of `mtu_lost`: answered after the timeout, because the peer's host kept the probe, as it says;
  /// those that became known in the window.
  std::uint64_t answered_late = 0, mtu_answered_late = 0;
  /// Losses in the window of which the peer's count of arrived probes tells where they were lost: on the way to it, on
  /// the way back. Known from the next answer on. NotSupported: the peer does not count, or the kind does not tell.
  Reading<std::uint64_t> lost_there, lost_back;
  Reading<ProbeClass> traffic_class;
  std::uint32_t mtu_size = 0;                ///< payload bytes of full-MTU probes, 0: none are sent
  std::uint64_t mtu_sent = 0, mtu_lost = 0;  ///< in the window
  std::vector<ProbePath> paths;
  Reading<bool> control_answers;  ///< whether the peer answers over HTTP; absent: not tried
  Reading<std::string> error;  ///< newest reason why probes fail: completion status, refused session; NotPresent: none
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("peer", self.peer);
    visit("peer_device", self.peer_device);
    visit("peer_port", self.peer_port);
    visit("address", self.address);
    visit("label", self.label);
    visit("inside", self.inside);
    visit("kind", self.kind);
    visit("size", self.size);
    visit("sent", self.sent);
    visit("lost", self.lost);
    visit("not_sent", self.not_sent);
    visit("lost_in_row", self.lost_in_row);
    visit("total_sent", self.total_sent);
    visit("total_lost", self.total_lost);
    visit("total_rewritten", self.total_rewritten);
    visit("discarded", self.discarded);
    visit("rtt", self.rtt);
    visit("total", self.total);
    visit("prober_delay", self.prober_delay);
    visit("responder_delay", self.responder_delay);
    visit("baseline_p50_seconds", self.baseline_p50_seconds);
    visit("baseline_p99_seconds", self.baseline_p99_seconds);
    visit("slow_windows", self.slow_windows);
    visit("late_polls", self.late_polls);
    visit("responder_late", self.responder_late);
    visit("answered_late", self.answered_late);
    visit("mtu_answered_late", self.mtu_answered_late);
    visit("lost_there", self.lost_there);
    visit("lost_back", self.lost_back);
    visit("traffic_class", self.traffic_class);
    visit("mtu_size", self.mtu_size);
    visit("mtu_sent", self.mtu_sent);
    visit("mtu_lost", self.mtu_lost);
    visit("paths", self.paths);
    visit("control_answers", self.control_answers);
    visit("error", self.error);
  }
};

/// What a node tells its peers of one port, so that each compares itself with the others.
struct PortDigest {
  std::string device;
  std::uint32_t port = 1;
  std::string rail;  ///< configured label of the rail, else "" (then the subnet tells)
  Reading<std::string> address, trust, driver, firmware, model, fec;
  Reading<std::uint32_t> pfc_mask;                                 ///< bit per priority
  Reading<std::map<std::string, std::uint32_t>> dscp_to_priority;  ///< by DSCP; see digest.cpp
  Reading<std::uint32_t> mtu, active_mtu;                          ///< bytes
  Reading<std::uint64_t> speed_bits_per_second;
  Reading<std::vector<std::string>> roce_versions;
  Reading<std::uint64_t> carrier_losses;  ///< of all members since they exist
  /// What moves, told anew twice a minute at most and the shares in few steps (daemon/probing/own_digest.h), lest all
  /// peers ask for it all the time: active findings of this port by rule ("warning" or "critical"; none of fabric-*);
  /// share of time that it was paused, and paused others, on the worst lossless priority; share of the line rate
  /// received.
  Reading<std::map<std::string, std::string>> findings;
  Reading<double> rx_pause_share, tx_pause_share, rx_line_share;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("rail", self.rail);
    visit("address", self.address);
    visit("trust", self.trust);
    visit("driver", self.driver);
    visit("firmware", self.firmware);
    visit("model", self.model);
    visit("fec", self.fec);
    visit("pfc_mask", self.pfc_mask);
    visit("dscp_to_priority", self.dscp_to_priority);
    visit("mtu", self.mtu);
    visit("active_mtu", self.active_mtu);
    visit("speed_bits_per_second", self.speed_bits_per_second);
    visit("roce_versions", self.roce_versions);
    visit("carrier_losses", self.carrier_losses);
    visit("findings", self.findings);
    visit("rx_pause_share", self.rx_pause_share);
    visit("tx_pause_share", self.tx_pause_share);
    visit("rx_line_share", self.rx_line_share);
  }
};
struct NodeDigest {
  std::string profile, role;  ///< "" where none is stated
  std::vector<PortDigest> ports;
  std::string label = {};  ///< of the top-of-rack switch, as configured; "" where none is
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("profile", self.profile);
    visit("role", self.role);
    visit("ports", self.ports);
    visit("label", self.label);
  }
};
struct PeerDigest {
  std::string peer;        ///< as configured
  double age_seconds = 0;  ///< since the peer last said so
  NodeDigest digest;
  /// By "mlx5_0/1": how long ago, by our clock, this port's carrier_losses were seen to have risen. A port of which
  /// that was never seen is not there.
  std::map<std::string, double> carrier_lost_seconds_ago = {};
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("peer", self.peer);
    visit("age_seconds", self.age_seconds);
    visit("digest", self.digest);
    visit("carrier_lost_seconds_ago", self.carrier_lost_seconds_ago);
  }
};

/// Probes of peers that arrived at one of our ports, with the DSCP that they had then.
struct ProbeArrivals {
  std::string device;
  std::uint32_t port = 1;
  double seconds = 0;                            ///< that it is about, up to the moment of these facts
  std::map<std::string, std::uint64_t> packets;  ///< by DSCP; those whose header was believed
  std::uint64_t unseen = 0;                      ///< those whose header was not
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("seconds", self.seconds);
    visit("packets", self.packets);
    visit("unseen", self.unseen);
  }
};

/// Upper bounds of a round-trip histogram, seconds; one more bucket takes what is above the last.
inline constexpr std::array<double, 16> kProbeBounds{2e-6, 5e-6, 10e-6, 20e-6, 50e-6, 100e-6, 200e-6, 500e-6,
                                                     1e-3, 2e-3, 5e-3,  10e-3, 20e-3, 50e-3,  100e-3, 500e-3};
/// Round trips of all peers of one of our ports by one kind of probe, since the engine began.
struct ProbeHistogram {
  std::string device;
  std::uint32_t port = 1;
  std::string kind;
  std::vector<std::uint64_t> counts;  ///< of each bucket, kProbeBounds.size() + 1 of them, not cumulative
  double sum_seconds = 0;
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("kind", self.kind);
    visit("counts", self.counts);
    visit("sum_seconds", self.sum_seconds);
  }
};

/// One measurement of bandwidth that a person asked for: RDMA writes over several connections that fill the line for a
/// bounded time, to a peer or from a port to itself.
struct BandwidthRun {
  std::string device;      ///< ours
  std::uint32_t port = 1;  ///< ours
  bool loopback = false;   ///< both ends are this port; then there is no peer
  std::string peer;        ///< as asked for: "node17:9885"
  std::string peer_device;
  std::uint32_t peer_port = 0;
  std::string address;  ///< IP of the peer's GID
  std::uint32_t message_bytes = 0, queue_pairs = 0;
  std::uint32_t mtu_bytes = 0;            ///< of the connections: most payload of a packet
  std::uint64_t bytes = 0;                ///< payload of the writes that completed
  double seconds = 0;                     ///< from the first post to the last completion
  double waited_seconds = 0;              ///< of these, ready to run while this host's CPUs did something else
  Reading<double> bits_per_second;        ///< payload; absent: the run did not come to its end, and why
  Reading<double> other_bits_per_second;  ///< in the busier direction of our port, in the second before the run
  Reading<std::uint64_t> peer_speed_bits_per_second;  ///< line rate of the peer's port, as its node tells
  Reading<double> peer_busy_share;  ///< of its line rate that the peer's port received in the minute before, in steps
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("loopback", self.loopback);
    visit("peer", self.peer);
    visit("peer_device", self.peer_device);
    visit("peer_port", self.peer_port);
    visit("address", self.address);
    visit("message_bytes", self.message_bytes);
    visit("queue_pairs", self.queue_pairs);
    visit("mtu_bytes", self.mtu_bytes);
    visit("bytes", self.bytes);
    visit("seconds", self.seconds);
    visit("waited_seconds", self.waited_seconds);
    visit("bits_per_second", self.bits_per_second);
    visit("other_bits_per_second", self.other_bits_per_second);
    visit("peer_speed_bits_per_second", self.peer_speed_bits_per_second);
    visit("peer_busy_share", self.peer_busy_share);
  }
};

/// What is fine from one of our ports and was left out: no probe was lost, late or changed. It counts where rules ask
/// how many peers, or what share of all probes, a fault concerns.
struct FineProbes {
  std::string device;
  std::uint32_t port = 1;
  std::uint32_t peers = 0;
  std::uint64_t sent = 0;  ///< in the window, by the mesh; to all that were left out and lost nothing
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("device", self.device);
    visit("port", self.port);
    visit("peers", self.peers);
    visit("sent", self.sent);
  }
};

/// What the probes of this node know at the moment of the sample.
struct ProbeFacts {
  double window_seconds = 0;     ///< that sent, lost and times are about
  double running_seconds = 0;    ///< since the engine began
  std::vector<PeerProbe> peers;  ///< sorted by device, port, peer, peer device, kind
  std::vector<PeerDigest> digests;
  NodeDigest own;                          ///< what peers are told of this node; without ports: not known
  std::vector<ProbeArrivals> arrivals;     ///< sorted by device, port; ports at which somebody probes this node
  std::vector<ProbeHistogram> histograms;  ///< sorted by device, port, kind
  /// Ports that cannot probe and why: "mlx5_0/1" → "no RoCE v2 GID".
  std::map<std::string, std::string> blocked;
  /// Probed peers of which nothing is told above, since all do not fit (probe_json.h): with faults the last.
  std::uint32_t peers_left_out = 0;
  std::vector<FineProbes> fine_left_out = {};  ///< of these; sorted by device, port
  /// What is wrong with the sources of peers, so that some may be missing: "probes.peers_dns nodes: Name or service not
  /// known". A few; clean text.
  std::vector<std::string> problems = {};
  double packets_per_second = 0, bytes_per_second = 0, core_share = 0;  ///< what probing cost in the window
  std::vector<BandwidthRun> bandwidth = {};  ///< what was measured on demand, in that order; a mesh never measures
  template <class V, class S>
  static void each_field(V&& visit, S& self) {
    visit("window_seconds", self.window_seconds);
    visit("running_seconds", self.running_seconds);
    visit("peers", self.peers);
    visit("digests", self.digests);
    visit("own", self.own);
    visit("arrivals", self.arrivals);
    visit("histograms", self.histograms);
    visit("blocked", self.blocked);
    visit("peers_left_out", self.peers_left_out);
    visit("fine_left_out", self.fine_left_out);
    visit("problems", self.problems);
    visit("packets_per_second", self.packets_per_second);
    visit("bytes_per_second", self.bytes_per_second);
    visit("core_share", self.core_share);
    visit("bandwidth", self.bandwidth);
  }
};

}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "rules/causes_graph.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "rules/rule.h"

// Numbers are rows of the table in docs/causes.md. Two rows have no edge: a stall watchdog that is too slow makes a
// storm longer and is no cause of it, and counters that contradict each other take confidence from findings.

namespace roceready::rules {
namespace {

/// Several causes of the same several symptoms, ids apart by a space.
struct Row {
  std::string_view causes, symptoms;
  When when;
  double weight;
  Reach reach = Reach::SamePort;
};

// clang-format off
constexpr Row kRows[] = {
    // 1: PFC is off, or not where RoCE is: the class drops
    {"pfc-disabled pfc-wrong-priority",
     "drop-rx-no-pfc",
     When::Always, 0.9},
    {"pfc-disabled pfc-wrong-priority",
     "transport-seq-err transport-oos transport-ack-timeout transport-adaptive-retrans probe-loss probe-bandwidth-low",
     When::NoLinkFault, 0.9},
    {"pfc-disabled pfc-wrong-priority",
     "qos-chain-broken",
     When::Always, 0.9},
    // 2: the NIC classifies by PCP
    {"qos-trust-pcp qos-vlan-egress-map",
     "qos-chain-broken",
     When::Always, 0.95},
    {"qos-trust-pcp qos-vlan-egress-map",
     "qos-rdma-on-wrong-prio drop-rx-no-pfc pfc-on-unused-priority",
     When::WrongPriority, 0.95},
    // 2, 3: and so it classifies what the peers' probes send
    {"qos-trust-pcp qos-vlan-egress-map",
     "probe-wrong-prio",
     When::Always, 0.95},
    {"qos-dscp-map",
     "probe-wrong-prio",
     When::DataMisplaced, 0.95},
    // 3: RoCE is classified into another priority
    {"qos-dscp-map",
     "qos-chain-broken",
     When::DataMisplaced, 0.95},
    {"roce-tos-default-zero",
     "qos-chain-broken",
     When::Always, 0.95},
    {"qos-dscp-map roce-tos-default-zero",
     "qos-rdma-on-wrong-prio drop-rx-no-pfc transport-seq-err transport-oos transport-ack-timeout transport-adaptive-retrans",
     When::WrongPriority, 0.95},
    // 4: a switch remarks; the victims are the receivers
    {"probe-dscp-rewritten",
     "qos-rdma-on-wrong-prio drop-rx-no-pfc ecn-cnp-lost",
     When::Always, 0.95, Reach::OtherNode},
    {"probe-dscp-rewritten",
     "probe-wrong-prio",
     When::Always, 0.95},
    // 5: the switch, or a second agent, overwrote the settings
    {"lldp-dcbx-willing-conflict lldp-multiple-agents",
     "pfc-disabled pfc-wrong-priority qos-ets-roce-starved qos-ets-sum qos-config-drift lldp-pfc-mismatch",
     When::Always, 0.9},
    // 6: settings did not survive a reboot
    {"host-qos-not-persistent",
     "pfc-disabled pfc-wrong-priority qos-trust-pcp qos-dscp-map roce-tos-default-zero",
     When::Always, 0.8},
    // 7: the switch does not do PFC on this priority
    {"lldp-pfc-mismatch pfc-one-sided",
     "drop-rx-lossless-prio pfc-on-unused-priority transport-seq-err transport-oos transport-ack-timeout transport-adaptive-retrans",
     When::PfcOn, 0.9},
    // 8: the buffer cannot take what is in flight
    {"qos-headroom-small qos-cable-len-default qos-buffer-shared",
     "drop-rx-lossless-prio",
     When::SendsPause, 0.8},
    {"qos-headroom-small qos-cable-len-default qos-buffer-shared",
     "pfc-tx-pause-high",
     When::DropsSeen, 0.8},
    // 8: the peers miss what was dropped here
    {"qos-headroom-small qos-cable-len-default qos-buffer-shared",
     "transport-seq-err",
     When::SendsPause, 0.8, Reach::OtherNode},
    // 9: the link damages packets
    {"link-fec-uncorrectable link-symbol-crc link-prefec-ber",
     "transport-seq-err transport-oos transport-ack-timeout transport-adaptive-retrans transport-livelock probe-loss probe-asymmetric fabric-loss-localised",
     When::NoDiscards, 0.95},
    {"link-fec-uncorrectable link-symbol-crc link-prefec-ber",
     "link-flap",
     When::Always, 0.95},
    // 10: the module
    {"link-module-fault",
     "transport-seq-err transport-oos transport-ack-timeout transport-adaptive-retrans transport-livelock probe-loss probe-asymmetric fabric-loss-localised",
     When::NoDiscards, 0.9},
    {"link-module-fault",
     "link-flap link-speed-low link-fec-uncorrectable link-symbol-crc link-prefec-ber link-down",
     When::Always, 0.9},
    // 11: the link went away
    {"link-flap link-down",
     "transport-ack-timeout transport-retry-exceeded transport-cqe-error drop-tx-discards probe-unreachable",
     When::Within120Seconds, 0.95},
    // 11: the same for its peers
    {"link-flap link-down",
     "transport-ack-timeout transport-retry-exceeded transport-cqe-error probe-unreachable",
     When::Within120Seconds, 0.95, Reach::OtherNode},
    // 11: what cannot be right while the link is down
    {"link-down",
     "link-speed-low",
     When::Always, 0.95},
    {"link-down",
     "link-flap link-drop-long",
     When::Always, 0.8},
    {"link-down",
     "roce-no-v2-gid",
     When::Always, 0.7},
    // 12: FEC missing or not agreed on
    {"link-fec-off link-fec-mismatch",
     "link-symbol-crc link-down link-flap",
     When::Always, 0.85},
    // 13: PCIe is too slow for the link
    {"pcie-width-degraded pcie-speed-degraded pcie-bandwidth-insufficient pcie-tree-bottleneck",
     "pcie-backpressure pfc-tx-pause-high probe-bandwidth-low probe-loopback-low",
     When::Always, 0.95},
    {"pcie-width-degraded pcie-speed-degraded pcie-bandwidth-insufficient pcie-tree-bottleneck",
     "drop-rx-no-pfc",
     When::PfcOn, 0.95},
    {"pcie-width-degraded pcie-speed-degraded pcie-bandwidth-insufficient pcie-tree-bottleneck",
     "drop-rx-lossless-prio drop-host-buffer pfc-one-sided",
     When::Always, 0.9},
    {"pcie-width-degraded pcie-speed-degraded",
     "pcie-bandwidth-insufficient",
     When::Always, 0.95},
    // 14: the bus itself
    {"pcie-aer-correctable pcie-aer-uncorrectable pcie-signal-integrity",
     "pcie-speed-degraded pcie-width-degraded pcie-backpressure probe-bandwidth-low",
     When::Always, 0.8},
    // 15: the host is set up so that it drains slowly
    {"host-iommu-translating host-numa-misplaced pcie-acs-redirect host-gpudirect-missing",
     "pcie-backpressure probe-loopback-low probe-bandwidth-low pfc-tx-pause-high",
     When::NoPcieFault, 0.6},
    // 16: RDMA through the NIC's own loopback
    {"host-loopback-rdma",
     "pcie-backpressure pfc-tx-pause-high",
     When::NoStorm, 0.8},
    // 17: the host cannot drain the NIC
    {"pcie-backpressure",
     "pfc-tx-pause-high drop-rx-lossless-prio drop-host-buffer",
     When::SameMinute, 0.85},
    {"pcie-backpressure",
     "drop-rx-no-pfc",
     When::SameMinuteAndPfcOn, 0.85},
    // 18: a slow receiver elsewhere
    {"fabric-pause-source",
     "pfc-rx-pause-high drop-tx-discards probe-rtt-high ecn-congested",
     When::Always, 0.85, Reach::OtherNode},
    // 18: the slow receiver is this node
    {"pfc-tx-pause-high pfc-storm-tx",
     "fabric-pause-source",
     When::Always, 0.85},
    // 18: what waits too long is thrown away
    {"pfc-rx-pause-high",
     "drop-tx-discards probe-rtt-high",
     When::Always, 0.8},
    // 19: a NIC that pauses without end, seen on its own port
    {"pfc-storm-tx",
     "pfc-tx-pause-high drop-rx-lossless-prio",
     When::Always, 0.95},
    // 19: and on the other ports of the fabric
    {"pfc-storm-tx",
     "pfc-storm-rx probe-unreachable transport-ack-timeout transport-retry-exceeded drop-switch-watchdog-suspected",
     When::Always, 0.95, Reach::OtherPort},
    // 19: the same storm, seen by whom it stops
    {"pfc-storm-rx",
     "pfc-rx-pause-high drop-tx-discards transport-ack-timeout transport-retry-exceeded transport-adaptive-retrans probe-unreachable probe-loss probe-rtt-high drop-switch-watchdog-suspected",
     When::Always, 0.95},
    // 19: the switch emptied the queue
    {"drop-switch-watchdog-suspected",
     "transport-seq-err transport-oos transport-ack-timeout transport-adaptive-retrans",
     When::Always, 0.6},
    // 21: many senders, one receiver
    {"fabric-incast",
     "pfc-rx-pause-high ecn-congested probe-rtt-high",
     When::Always, 0.7, Reach::OtherNode},
    // 22: nobody slows down
    {"ecn-cc-disabled",
     "ecn-marked-no-cnp ecn-cnp-ignored",
     When::Always, 0.8},
    {"ecn-cc-disabled",
     "pfc-rx-pause-high drop-rx-no-pfc",
     When::CongestionSeen, 0.8},
    // 23: the switch does not mark
    {"ecn-pause-without-marks",
     "pfc-rx-pause-high probe-rtt-high",
     When::Always, 0.7, Reach::OtherNode},
    // 24: notifications wait with the data
    {"ecn-cnp-class qos-cnp-not-prioritised",
     "ecn-cnp-lost",
     When::Always, 0.7},
    {"ecn-cnp-class qos-cnp-not-prioritised",
     "pfc-rx-pause-high",
     When::NotificationsLost, 0.7},
    // 25: link-level pause instead of PFC
    {"pfc-global-pause",
     "pfc-disabled pfc-in-lossy-fabric",
     When::CauseCountsFrames, 0.8},
    // 26: small packets
    {"roce-mtu-low",
     "probe-bandwidth-low",
     When::Always, 0.6},
    // 27: MTUs differ
    {"fabric-mtu-mismatch lldp-mtu-mismatch",
     "drop-oversize probe-mtu-blackhole transport-retry-exceeded",
     When::Always, 0.95},
    // 27: this host's is the small one
    {"roce-mtu-low roce-mtu-inconsistent",
     "drop-oversize",
     When::Always, 0.9},
    // 28: addresses
    {"roce-no-v2-gid roce-gid-index-invalid roce-cma-v1-default roce-wrong-link-layer lldp-vlan-mismatch",
     "probe-unreachable probe-rdmacm-fail transport-retry-exceeded",
     When::Always, 0.9},
    // 28: addresses of some ports, told of the node
    {"host-arp-flux",
     "probe-unreachable probe-rdmacm-fail transport-retry-exceeded",
     When::CauseNamesPort, 0.9},
    // 30: a switch
    {"fabric-leaf-common-fault",
     "link-flap link-symbol-crc link-fec-uncorrectable pfc-rx-pause-high pfc-storm-rx transport-seq-err transport-oos transport-ack-timeout drop-rx-no-pfc probe-loss probe-unreachable probe-rtt-high probe-dscp-rewritten probe-ecn-bleached probe-mtu-blackhole probe-path-outlier",
     When::CauseNamesRule, 0.9},
    // 30: a switch that restarts; told as info, which explains nothing to who sees one node
    {"fabric-link-flap-cluster",
     "link-flap link-drop-long",
     When::Always, 0.9, Reach::OtherNode},
    // 31: a cable on the wrong rail
    {"fabric-rail-miswire",
     "probe-unreachable probe-rtt-high lldp-vlan-mismatch",
     When::Always, 0.8},
    // 32: the application, never the network
    {"transport-rnr transport-no-receive-buffer",
     "transport-retry-exceeded",
     When::ReceiverNotReady, 0.9},
    // 33: TCP in the lossless class
    {"qos-tcp-in-lossless-class",
     "pfc-rx-pause-high pfc-tx-pause-high drop-rx-lossless-prio",
     When::Always, 0.6},
    // what was dropped here on receive
    {"drop-rx-lossless-prio drop-rx-no-pfc drop-host-buffer drop-roce-engine",
     "transport-oos transport-seq-err",
     When::NoLinkFault, 0.8},
    // what was thrown away here on transmit
    {"drop-tx-discards",
     "transport-seq-err transport-ack-timeout",
     When::NoLinkFault, 0.8},
    // what differs from the peers because it is wrong here
    {"pfc-disabled pfc-wrong-priority pfc-extra-priorities qos-trust-pcp qos-dscp-map link-fec-off link-fec-mismatch",
     "fabric-config-mismatch",
     When::Always, 0.9},
    {"roce-mtu-low roce-mtu-inconsistent",
     "fabric-mtu-mismatch",
     When::Always, 0.9},
    {"link-speed-low",
     "fabric-speed-outlier",
     When::Always, 0.95},
    {"host-firmware-below-min",
     "fabric-firmware-mix",
     When::Always, 0.9},
    // a host that answers late
    {"host-cpu-powersave host-numa-misplaced",
     "probe-host-delay-high",
     When::Always, 0.6},
    // where what is lost is lost
    {"fabric-loss-localised",
     "probe-loss probe-unreachable",
     When::Always, 0.6},
    // large packets vanish on the path
    {"probe-mtu-blackhole",
     "transport-retry-exceeded",
     When::Always, 0.7},
    // connections that broke end their work requests
    {"transport-retry-exceeded",
     "transport-cqe-error",
     When::Within120Seconds, 0.7},
};
// clang-format on

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::vector<CauseEdge> edges() {
  std::vector<CauseEdge> out;
  for (const Row& row : kRows)
    for (const std::string_view cause : words_of(row.causes))
      for (const std::string_view symptom : words_of(row.symptoms))
        out.push_back({cause, symptom, row.when, row.weight, row.reach});
  return out;
}

constexpr WrongEdge kWrong[] = {
    {"qos-trust-pcp", "roce-tos-default-zero", "a default ToS does not follow from the trust mode"},
    {"link-fec-uncorrectable", "transport-icrc",
     "what the link damages fails its Ethernet checksum and never gets so far"},
    {"link-symbol-crc", "transport-icrc", "the same"},
    {"link-prefec-ber", "transport-icrc", "the same"},
    {"link-module-fault", "transport-icrc", "the same"},
    {"ecn-cc-disabled", "ecn-pause-without-marks", "marks are made by switches, whatever the NIC does with them"},
    {"transport-rnr", "pfc-tx-pause-high", "a receiver that is not ready answers so; the NIC goes on taking packets"},
    {"transport-no-receive-buffer", "pfc-tx-pause-high",
     "missing receive buffers make no pause on reliable connections"},
    {"transport-counter-unreliable", "transport-seq-err", "a wrong counter explains nothing"},
    {"transport-counter-unreliable", "ecn-marked-no-cnp", "the same"},
    {"pfc-stall-watchdog-slow", "pfc-storm-tx", "it makes a storm longer and starts none"},
};

}  // namespace

std::span<const CauseEdge> cause_graph() {
  static const std::vector<CauseEdge> all = edges();
  return all;
}

bool may_follow_from(std::string_view cause, std::string_view symptom) {
  std::vector<std::string_view> reached{cause};
  for (std::size_t at = 0; at < reached.size(); ++at)
    for (const CauseEdge& edge : cause_graph()) {
      if (edge.cause != reached[at] || edge.reach != Reach::SamePort) continue;
      if (edge.symptom == symptom) return true;
      if (std::find(reached.begin(), reached.end(), edge.symptom) == reached.end()) reached.push_back(edge.symptom);
    }
  return false;
}

std::span<const WrongEdge> wrong_edges() {
  return kWrong;
}

bool is_link_error(std::string_view rule) {
  constexpr std::array<std::string_view, 7> kErrors{"link-fec-uncorrectable", "link-symbol-crc", "link-prefec-ber",
                                                    "link-module-fault",      "link-flap",       "link-down",
                                                    "link-drop-long"};
  return std::find(kErrors.begin(), kErrors.end(), rule) != kErrors.end();
}

bool is_loss(std::string_view rule) {
  constexpr std::array<std::string_view, 5> kLoss{"transport-seq-err", "transport-oos", "transport-ack-timeout",
                                                  "transport-retry-exceeded", "transport-adaptive-retrans"};
  return std::find(kLoss.begin(), kLoss.end(), rule) != kLoss.end();
}

bool broke_for_want_of_a_receiver(const Finding& finding) {
  if (finding.rule->id != std::string_view("transport-retry-exceeded") || finding.evidence.empty()) return false;
  return std::all_of(finding.evidence.begin(), finding.evidence.end(),
                     [](const EvidenceItem& item) { return item.what == info_of(CounterId::RnrRetryExceeded).name; });
}

}  // namespace roceready::rules

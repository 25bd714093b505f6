// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/peer_digests.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::array kOversize{CounterId::RxOversizePhy, CounterId::RxMtuErrors, CounterId::RxOversizeBufferDrops,
                               CounterId::RxMtuDiscards};
constexpr double kWindowSeconds = 300;

Reading<std::string> rdma_mtu(const PortDigest& port) {
  return port.active_mtu ? Reading<std::string>(std::to_string(*port.active_mtu))
                         : Reading<std::string>(port.active_mtu.absent());
}
Reading<std::string> netdev_mtu(const PortDigest& port) {
  return port.mtu ? Reading<std::string>(std::to_string(*port.mtu)) : Reading<std::string>(port.mtu.absent());
}

/// Frames longer than its MTU that a netdev of the port dropped in five minutes.
double oversize_drops(const Evidence& seen) {
  double most = 0;
  for (const std::string& member : seen.port().members)
    for (const CounterId id : kOversize) {
      const Reading<Increase> grew = seen.history().increase(member, id, kNoLane, kWindowSeconds);
      if (grew) most = std::max(most, grew->amount);
    }
  return most;
}

/// Some peer has a larger one than we have.
bool is_smaller(const PeerPorts& peers) {
  return std::any_of(peers.ports.begin(), peers.ports.end(), [&](const PeerPort& one) {
    return (one.port->mtu && peers.own.mtu && *one.port->mtu > *peers.own.mtu) ||
           (one.port->active_mtu && peers.own.active_mtu && *one.port->active_mtu > *peers.own.active_mtu);
  });
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<PeerPorts> peers = peer_ports(seen, out);
  if (!peers) return;
  const Reading<Vote> rdma = vote_on(*peers, rdma_mtu), netdev = vote_on(*peers, netdev_mtu);
  if (!rdma && !netdev) return out.unknown(rdma.absent());
  const bool enough = static_cast<double>(peers->nodes()) >= seen.limit("min_nodes");
  std::vector<std::string> words, odd;
  std::vector<EvidenceItem> evidence;
  bool outvoted = false;
  for (const auto& [name, vote] :
       {std::pair<const char*, const Reading<Vote>*>{"RDMA MTU", &rdma}, {"netdev MTU", &netdev}}) {
    if (!*vote || (*vote)->differ == 0) continue;
    const bool lost = (*vote)->outvoted(seen.limit("majority"));
    outvoted = outvoted || lost;
    odd.insert(odd.end(), (*vote)->odd.begin(), (*vote)->odd.end());
    words.push_back(std::string(name) + " " + (*vote)->own + " here, another on " + std::to_string((*vote)->differ) +
                    " of " + counted(static_cast<double>((*vote)->total), "peer port") +
                    (lost ? " (" + (*vote)->theirs + " on " + std::to_string((*vote)->agreed) + ")" : ""));
    evidence.push_back(seen.word(name, (*vote)->own, "!=", lost ? (*vote)->theirs : "that of " + some_of((*vote)->odd),
                                 "digests of " + some_of(peers->names)));
  }
  if (words.empty()) {
    if (!rdma) return out.unknown(rdma.absent());
    if (rdma->total == 0) return nothing_told(out, *peers, "RDMA MTU");
    return out.pass();
  }
  std::sort(odd.begin(), odd.end());
  odd.erase(std::unique(odd.begin(), odd.end()), odd.end());
  const double dropped = is_smaller(*peers) ? oversize_drops(seen) : 0;
  std::string sentence = port_name(seen) + " and " + some_of(odd) + " have different MTUs: " + joined(words) + ".";
  Severity severity = !enough || outvoted ? Severity::Warning : Severity::Info;
  if (severity == Severity::Info) sentence += " Most peers have what this node has.";
  if (dropped >= 1) {
    severity = Severity::Critical;
    sentence += " This node dropped " + counted(dropped, "frame") + " longer than its MTU in the last five minutes.";
    evidence.push_back(seen.item("frames longer than the MTU", dropped, "frames", ">=", 1, "ethtool statistics"));
  }
  Judgement& failure = out.fail(severity, std::move(sentence), std::move(evidence));
  if (odd.size() == 1) failure.subject.peer = odd.front();
}

}  // namespace

extern const Rule kFabricMtuMismatch;
constinit const Rule kFabricMtuMismatch{
    .id = "fabric-mtu-mismatch",
    .family = "fabric",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Nodes of one RDMA network have different MTUs",
    .what =
        "Compares netdev MTU and RDMA MTU with what the peers say of themselves. Warning when this node differs from "
        "90 % "
        "of them, or from one of few; critical when it has the smaller one and drops longer frames; info when a few "
        "peers differ from it and the others.",
    .why = "Large messages to the node with the smaller MTU vanish.",
    .next = "Give all nodes the same MTU.",
    .likely_causes = {"MTU lost after a reboot", "node installed by other means"},
    .fix = {Recipe::Mtu},
    .traps = {"Nodes of networks that do not talk to each other may differ.",
              "Compared are peers of the same role that told their facts in the last five minutes, their RDMA MTU "
              "among them; else it does not pass."},
    .needs = {CounterId::RxOversizePhy, CounterId::RxMtuErrors, CounterId::RxOversizeBufferDrops,
              CounterId::RxMtuDiscards},
    .limits = {Limit{.name = "majority",
                     .value = 0.9,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the peers that must agree"},
               Limit{.name = "min_nodes",
                     .value = 4,
                     .unit = "count",
                     .min = 2,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "nodes, this one included, from which a majority is believed"}},
    .facts = {"kernel-roce-mtu"},
    .judge = judge,
};

}  // namespace roceready::rules

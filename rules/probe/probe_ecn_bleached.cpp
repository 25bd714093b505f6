// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr std::uint32_t kNotCapable = 0, kCongestionExperienced = 3;  // RFC 3168

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  PeerJudgements said(seen, "receive packets whose ECN bits were cleared");
  for (const ProbedPeer& peer : peers) {
    const PeerProbe* kind = with_header(peer, said);
    if (kind == nullptr) continue;
    const ProbeClass& header = *kind->traffic_class;
    if (header.ecn_sent == kNotCapable || header.ecn_sent == kCongestionExperienced) {
      said.not_applicable("probes are not sent as ECN-capable");
    } else if (header.bleached == 0) {
      said.pass();
    } else {
      said.fail(peer, Severity::Warning, static_cast<double>(header.bleached) / static_cast<double>(header.seen),
                "Packets leave " + port_name(seen) + " as ECN-capable and arrive at " + peer.full_name() +
                    " as not: " + std::to_string(header.bleached) + " of " + std::to_string(header.seen) + ".",
                {seen.item("packets with cleared ECN bits", static_cast<double>(header.bleached), "packets", ">", 0,
                           source_of(seen, peer) + ", IP header as received")});
    }
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbeEcnBleached;
constinit const Rule kProbeEcnBleached{
    .id = "probe-ecn-bleached",
    .family = "probe",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kProbe,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "The network clears the ECN bits",
    .what =
        "Sends probes as ECN-capable and reads the ECN bits that arrive. Warning when they arrive as not ECN-capable.",
    .why = "No switch behind that hop can mark congestion, so senders never slow down.",
    .next = "Find the device that clears the bits, usually one that rewrites the whole traffic class.",
    .likely_causes = {"device that rewrites the traffic class", "overlay that does not copy ECN"},
    .fix = {Recipe::Switch},
    .traps = {"Arriving as congestion experienced is a mark, not a fault.",
              "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .facts = {"ud-grh-ipv4"},
    .judge = judge,
};

}  // namespace roceready::rules

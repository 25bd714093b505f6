// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstdint>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  const bool lossless = seen.profile() != nullptr && seen.profile()->mode != kLossy;
  const Severity severity = lossless ? Severity::Critical : Severity::Warning;
  PeerJudgements said(seen, "receive another DSCP than was sent");
  for (const ProbedPeer& peer : peers) {
    const PeerProbe* kind = with_header(peer, said);
    if (kind == nullptr) continue;
    const ProbeClass& header = *kind->traffic_class;
    if (header.rewritten == 0) {
      said.pass();
      continue;
    }
    const std::uint32_t got = header.dscp_received;
    const std::string arrived = got == header.dscp_sent ? "with another DSCP" : "with DSCP " + std::to_string(got);
    const std::string source = source_of(seen, peer) + ", IP header as received";
    said.fail(peer, severity, static_cast<double>(header.rewritten) / static_cast<double>(header.seen),
              "Packets leave " + port_name(seen) + " with DSCP " + std::to_string(header.dscp_sent) +
                  " and arrive at " + peer.full_name() + " " + arrived + ": " + std::to_string(header.rewritten) +
                  " of " + std::to_string(header.seen) + ".",
              {seen.item("DSCP received", got, "", "!=", header.dscp_sent, source),
               seen.item("packets with another DSCP", static_cast<double>(header.rewritten), "packets", source)});
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbeDscpRewritten;
constinit const Rule kProbeDscpRewritten{
    .id = "probe-dscp-rewritten",
    .family = "probe",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "The network rewrites the DSCP of RoCE packets",
    .what =
        "Compares the DSCP that arrived, read from the received IP header, with the one that was sent. Critical in "
        "lossless designs, warning in lossy ones.",
    .why = "Packets travel in another class than the one that is lossless, from that hop on.",
    .next = "Make every switch port on the path trust the DSCP and not remark it.",
    .likely_causes = {"switch port that does not trust DSCP", "remarking policy",
                      "overlay that does not copy the DSCP"},
    .fix = {Recipe::Switch},
    .traps = {"Some NICs leave the header's place empty: nothing is said then.",
              "The header is believed only with a valid checksum.",
              "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .facts = {"ud-grh-ipv4"},
    .judge = judge,
};

}  // namespace roceready::rules

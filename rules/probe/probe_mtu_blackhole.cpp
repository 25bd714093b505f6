// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rules/port_probes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

struct Sizes {
  std::uint64_t small_sent = 0, small_lost = 0, large_sent = 0, large_lost = 0, answered_late = 0;
  std::uint32_t size = 0;
};

double share(std::uint64_t lost, std::uint64_t sent) {
  return sent == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(sent);
}

/// Large ones are lost much more often than small ones, which are answered.
bool vanish(const Evidence& seen, const Sizes& sizes) {
  constexpr double kMuchMore = 4;
  const double large = share(sizes.large_lost, sizes.large_sent), small = share(sizes.small_lost, sizes.small_sent);
  return sizes.small_sent > sizes.small_lost && static_cast<double>(sizes.large_lost) >= seen.limit("failures") &&
         large >= seen.limit("share") && large >= kMuchMore * small;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<ProbedPeer> peers = probed_peers(seen, out);
  if (peers.empty()) return;
  PeerJudgements said(seen, "do not receive packets of the full RDMA MTU");
  for (const ProbedPeer& peer : peers) {
    Sizes sizes;
    bool silent = false;
    for (const PeerProbe* kind : peer.kinds) {
      silent = silent || is_silent(*kind);
      sizes.small_sent += kind->sent;
      sizes.small_lost += kind->lost;
      sizes.large_sent += kind->mtu_sent;
      sizes.large_lost += std::min(kind->mtu_lost, kind->mtu_sent);
      sizes.answered_late += kind->mtu_answered_late;
      sizes.size = std::max(sizes.size, kind->mtu_size);
    }
    if (const auto not_sent = why_not_sent(peer)) {
      said.unknown(peer, *not_sent);
    } else if (silent) {
      said.not_applicable(peer.name + " answers no small probes either: see probe-unreachable");
    } else if (sizes.size == 0) {
      said.not_applicable("no probe of the full RDMA MTU is sent");
    } else if (static_cast<double>(sizes.large_sent) < seen.limit("failures") || sizes.small_sent <= sizes.small_lost) {
      said.later("too few probes of the full RDMA MTU to " + peer.name + " yet");
    } else if (!vanish(seen, sizes)) {
      said.pass();
    } else if (sizes.answered_late >= sizes.large_lost) {
      said.unknown(peer, {Why::NotPresent, kPeerIsLate});
    } else {
      const std::string source = source_of(seen, peer);
      said.fail(
          peer, Severity::Critical, share(sizes.large_lost, sizes.large_sent),
          std::to_string(sizes.large_lost) + " of " + counted(static_cast<double>(sizes.large_sent), "probe") + " of " +
              std::to_string(sizes.size) + " bytes from " + port_name(seen) + " to " + peer.full_name() +
              " had no answer, against " + std::to_string(sizes.small_lost) + " of " +
              std::to_string(sizes.small_sent) + " small ones.",
          {seen.item("full-MTU probes without an answer", share(sizes.large_lost, sizes.large_sent), "share",
                     ">=", seen.limit("share"), source),
           seen.item("payload of a full-MTU probe", sizes.size, "bytes", source),
           seen.item("small probes without an answer", share(sizes.small_lost, sizes.small_sent), "share", source)});
    }
  }
  said.write(out);
}

}  // namespace

extern const Rule kProbeMtuBlackhole;
constinit const Rule kProbeMtuBlackhole{
    .id = "probe-mtu-blackhole",
    .family = "probe",
    .action = Action::FixConfig,
    .severities = {Severity::Critical},
    .judged = kProbe,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Large RDMA packets vanish on the path, small ones do not",
    .what =
        "Sends probes of the full RoCE MTU where small ones are answered. Critical when the large ones fail again and "
        "again.",
    .why = "Connections are made, then hang at the first large message.",
    .next = "Raise the MTU of the switches on the path to 9216, and compare the hosts.",
    .likely_causes = {"switch port with a smaller MTU", "tunnel that takes bytes away", "peer with a smaller MTU"},
    .fix = {Recipe::Mtu, Recipe::Switch},
    .traps = {"A single lost large probe proves nothing.",
              "A path that also loses small probes is probe-loss's matter.",
              "One bad peer among many good ones is told with low confidence: the fault is probably there."},
    .limits = {Limit{.name = "failures",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "large probes without an answer, at least"},
               Limit{.name = "share",
                     .value = 0.2,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "large probes lost per large probe: one of four paths is enough"}},
    .facts = {"kernel-roce-mtu"},
    .judge = judge,
};

}  // namespace roceready::rules

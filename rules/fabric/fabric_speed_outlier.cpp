// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "rules/peer_digests.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

Reading<std::string> speed_of(const PortDigest& port) {
  return port.speed_bits_per_second ? Reading<std::string>(std::to_string(*port.speed_bits_per_second))
                                    : Reading<std::string>(port.speed_bits_per_second.absent());
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<PeerPorts> all = peer_ports(seen, out);
  if (!all) return;
  if (!all->own.model) return out.unknown(all->own.model.absent());
  const PeerPorts peers = all->where([&](const PeerPort& one) {
    return one.port->model && *one.port->model == *all->own.model && one.port->speed_bits_per_second;
  });
  if (static_cast<double>(peers.nodes()) < seen.limit("min_nodes"))
    return too_few_nodes(out, peers, seen.limit("min_nodes"));
  const Reading<Vote> vote = vote_on(peers, speed_of);
  if (!vote) return out.unknown(vote.absent());
  const auto usual = parse_u64(vote->theirs), own = parse_u64(vote->own);
  if (!vote->outvoted(seen.limit("majority")) || !usual || !own || *own > *usual) return out.pass();
  const auto ours = static_cast<double>(*own), theirs = static_cast<double>(*usual);
  out.fail(Severity::Warning,
           port_name(seen) + " runs at " + bit_rate(ours) + "; " + std::to_string(vote->agreed) + " of " +
               counted(static_cast<double>(vote->total), "peer port") + " of this model (" + *all->own.model +
               ") run at " + bit_rate(theirs) + ".",
           {seen.item("link speed", ours, "bits/s", "<", theirs, "digests of " + some_of(peers.names))});
}

}  // namespace

extern const Rule kFabricSpeedOutlier;
constinit const Rule kFabricSpeedOutlier{
    .id = "fabric-speed-outlier",
    .family = "fabric",
    .action = Action::Replace,
    .severities = {Severity::Warning},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "This port is slower than the same ports of its peers",
    .what =
        "Compares the link speed with that of peers' ports of the same role and model. Warning when 90 % of them agree "
        "and "
        "this one is slower.",
    .why = "One slow rail slows every rank of a job.",
    .next = "Look at the cable, the module and the slot of this port.",
    .likely_causes = {"degraded cable or module", "degraded PCIe link", "forced speed"},
    .fix = {Recipe::Optic, Recipe::Pcie, Recipe::LinkSpeed},
    .traps = {"Generations that are mixed on purpose are grouped by model.",
              "Needs reports of at least four nodes of the same role within five minutes."},
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
    .facts = {"fabric-majority", "pcie-line-codes"},
    .judge = judge,
};

}  // namespace roceready::rules

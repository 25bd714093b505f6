// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>

#include "rules/peer_digests.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<PeerPorts> peers = peer_ports(seen, out);
  if (!peers) return;
  const Reading<Vote> vote = vote_on(*peers, [](const PortDigest& port) { return port.model; });
  if (!vote) return out.unknown(vote.absent());
  if (vote->total == 0) return out.not_looked_at("longer_window", "no peer told the model of its NIC", "");
  if (vote->differ == 0) return out.pass();
  const std::string other = vote->theirs != vote->own ? vote->theirs : "that of " + some_of(vote->odd);
  out.fail(Severity::Info,
           "The NIC of " + port_name(seen) + " is a " + vote->own + "; " + std::to_string(vote->differ) + " of " +
               counted(static_cast<double>(vote->total), "port") +
               " that it talks to are of another model: " + some_of(vote->odd) + ".",
           {seen.word("model (PCI vendor and device)", vote->own, "!=", other, "digests of " + some_of(peers->names))});
}

}  // namespace

extern const Rule kFabricNicGenerationMix;
constinit const Rule kFabricNicGenerationMix{
    .id = "fabric-nic-generation-mix",
    .family = "fabric",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kFabric,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "NICs that handle congestion differently talk to each other",
    .what =
        "Compares the models of NICs that communicate, by what the peers say of themselves. Info when they differ: "
        "their "
        "notification and rate limiting behaviour does too.",
    .why = "The one that slows down first loses bandwidth to the other.",
    .next = "Align the congestion control settings, the interval of notifications first, or keep generations apart.",
    .likely_causes = {"clusters of different age", "replaced NICs of a newer model"},
    .fix = {Recipe::Cnp, Recipe::Firmware},
    .traps = {"A mix alone is no fault: info.", "Whether their throughput is unequal is not measured."},
    .facts = {"nic-generations-differ"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>

#include "rules/firmware.h"
#include "rules/peer_digests.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<PeerPorts> all = peer_ports(seen, out);
  if (!all) return;
  if (!all->own.model) return out.unknown(all->own.model.absent());
  const PeerPorts peers = all->where([&](const PeerPort& one) {
    return one.port->model && *one.port->model == *all->own.model && one.port->firmware;
  });
  if (static_cast<double>(peers.nodes()) < seen.limit("min_nodes"))
    return too_few_nodes(out, peers, seen.limit("min_nodes"));
  const Reading<Vote> vote = vote_on(peers, [](const PortDigest& port) { return port.firmware; });
  if (!vote) return out.unknown(vote.absent());
  if (vote->differ == 0) return out.pass();
  std::string sentence =
      "The NIC of " + port_name(seen) + " (" + *all->own.model + ") runs firmware " + vote->own + "; " +
      std::to_string(vote->differ) + " of " + counted(static_cast<double>(vote->total), "peer port") +
      " of this model run another, " +
      (vote->theirs != vote->own ? vote->theirs + " most of them." : "among them " + some_of(vote->odd) + ".");
  Severity severity = Severity::Info;
  const auto least = least_firmware_missed(seen, all->own.driver.value_or(""), vote->own);
  const bool minority = vote->differ * 2 > vote->total;
  if (minority && least) {
    severity = Severity::Warning;
    sentence += " It is older than " + *least + ", the least that host.firmware_min allows.";
  }
  out.fail(severity, sentence,
           {seen.word("firmware", vote->own,
                      "!=", vote->theirs != vote->own ? vote->theirs : "that of " + some_of(vote->odd),
                      "digests of " + some_of(peers.names))});
}

}  // namespace

extern const Rule kFabricFirmwareMix;
constinit const Rule kFabricFirmwareMix{
    .id = "fabric-firmware-mix",
    .family = "fabric",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "NICs of one model run different firmware",
    .what =
        "Compares the firmware of NICs of the same model. Info when there is more than one, warning when the minority "
        "is older than the least wanted version.",
    .why = "Defects and defaults differ between versions, so nodes behave differently under load.",
    .next = "Bring all to the version that you have tested.",
    .likely_causes = {"replaced NIC", "half-finished roll-out"},
    .fix = {Recipe::Firmware},
    .traps = {"A roll-out under way looks the same.",
              "Needs reports of at least four nodes of the same role within five minutes."},
    .limits = {Limit{.name = "min_nodes",
                     .value = 4,
                     .unit = "count",
                     .min = 2,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "nodes, this one included, from which a majority is believed"}},
    .facts = {"fabric-majority"},
    .judge = judge,
};

}  // namespace roceready::rules

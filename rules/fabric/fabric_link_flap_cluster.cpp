// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rules/fabric_nodes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60;
constexpr int kMinutes = 10;  // further back nobody is asked

/// How many minutes ago a link of this port was lost, newest first; nothing: it was not. Absent: nobody counts.
Reading<std::optional<int>> own_loss(const Evidence& seen) {
  Reading<std::optional<int>> out = Absent{Why::NotPresent, "the port's network device is not visible"};
  for (const std::string& name : seen.port().members)
    for (int minute = 0; minute < kMinutes; ++minute) {
      const Reading<Increase> lost =
          seen.history().increase(name, CounterId::CarrierDownEvents, kNoLane, kMinute, minute * kMinute);
      if (!lost && minute == 0 && !out) out = lost.absent();
      if (!lost) break;
      if (!out) out = std::optional<int>();
      if (lost->amount >= 1 && (!*out || minute < **out)) out = std::optional(minute);
    }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<FabricPorts> ports = labelled_ports(seen, out);
  if (!ports) return;
  const Reading<std::optional<int>> own = own_loss(seen);
  if (!own) return cannot_read(out, own.absent(), "how often its carrier was lost");
  const std::vector<FabricPort> leaf = ports->under(ports->own.label);
  std::vector<FabricPort> counting = leaf, lost;
  std::erase_if(counting, [](const FabricPort& one) { return !one.port->carrier_losses; });
  if (static_cast<double>(counting.size() + 1) < seen.limit("ports"))
    return out.not_looked_at("not_configured",
                             std::to_string(counting.size() + 1) + " ports under " + ports->own.label +
                                 " count losses of their carrier, more are needed",
                             "more peers of the same role in probes.peers, with probes.label on each");
  if (!*own) return out.pass();
  // Ours was lost within that minute; of a peer's it is known when we learned of it.
  const double middle = (**own + 0.5) * kMinute;
  for (const FabricPort& one : counting)
    if (one.carrier_lost_ago && std::abs(*one.carrier_lost_ago - middle) <= kMinute / 2 + seen.limit("within_s"))
      lost.push_back(one);
  if (static_cast<double>(lost.size() + 1) < seen.limit("ports")) return out.pass();
  out.fail(Severity::Info,
           std::to_string(lost.size() + 1) + " of " + std::to_string(counting.size() + 1) + " ports under " +
               ports->own.label + " lost their link together: " + port_name(seen) + ", " + some_of(nodes_of(lost)) +
               ".",
           {seen.item("ports that lost their link", static_cast<double>(lost.size() + 1), "ports",
                      ">=", seen.limit("ports"), "digests of " + some_of(nodes_of(lost)))})
      .derived_threshold = true;
}

}  // namespace

extern const Rule kFabricLinkFlapCluster;
constinit const Rule kFabricLinkFlapCluster{
    .id = "fabric-link-flap-cluster",
    .family = "fabric",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Links of one switch flap together",
    .what =
        "Compares when this port and those of peers under the same switch (probes.label) lost their carrier, as each "
        "counts it and this node learns of it. Info when at least three did within a minute.",
    .why = "It is one event of the switch, not many of the nodes.",
    .next = "Look at the switch's log.",
    .likely_causes = {"switch restarted or upgraded", "line card", "power of the rack"},
    .fix = {Recipe::Switch},
    .traps =
        {"Planned maintenance looks the same.", "A rack that is switched off takes its links along.",
         "Peers tell a number, not a time: when this node learned of it counts, which a path that was down delays."},
    .needs = {CounterId::CarrierDownEvents},
    .limits = {Limit{.name = "ports",
                     .value = 3,
                     .unit = "count",
                     .min = 2,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "ports of one switch"},
               Limit{.name = "within_s",
                     .value = 60,
                     .unit = "seconds",
                     .min = 1,
                     .max = 3600,
                     .evidence = 'D',
                     .help = "time in which they lost their link"}},
    .facts = {"flap-limits-of-public-tools"},
    .judge = judge,
};

}  // namespace roceready::rules

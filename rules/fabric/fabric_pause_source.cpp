// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/fabric_nodes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kFewSources = 0.25;  // of the nodes; more have a cause in common

double pause_sent(const FabricPort& one) {
  return *one.port->tx_pause_share;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Ports that pause others much more than the others do, and those that are paused.
struct Sides {
  std::vector<FabricPort> sources, victims;
  double limit = 0;
};

Sides sides_of(const Evidence& seen, const std::vector<FabricPort>& all) {
  std::vector<double> sent;
  for (const FabricPort& one : all) sent.push_back(pause_sent(one));
  Sides out;
  out.limit = std::max(seen.limit("factor") * median(std::move(sent)), seen.limit("least_share"));
  for (const FabricPort& one : all) {
    if (pause_sent(one) >= out.limit)
      out.sources.push_back(one);
    else if (*one.port->rx_pause_share >= seen.limit("least_share"))
      out.victims.push_back(one);
  }
  return out;
}

bool has_own(const std::vector<FabricPort>& ports) {
  return std::any_of(ports.begin(), ports.end(), [](const FabricPort& one) { return one.node.empty(); });
}

void say(const Evidence& seen, Outcomes& out, const Sides& sides, std::size_t nodes) {
  const std::string others = std::to_string(sides.victims.size()) + " of " + std::to_string(nodes) + " nodes (" +
                             some_of(nodes_of(sides.victims)) + ") are paused";
  if (has_own(sides.sources)) {
    const double own = pause_sent(sides.sources.front());  // this node comes first
    out.fail(Severity::Warning,
             port_name(seen) + " pauses the network for at least " + percent(own) + " of the time, and " + others + ".",
             {seen.item("share of time that it paused others", own, "share", ">=", sides.limit, "own digest")})
        .derived_threshold = true;
    return;
  }
  const std::vector<std::string> names = nodes_of(sides.sources);
  const double worst = pause_sent(
      *std::max_element(sides.sources.begin(), sides.sources.end(),
                        [](const FabricPort& a, const FabricPort& b) { return pause_sent(a) < pause_sent(b); }));
  Judgement& said =
      out.fail(Severity::Info,
               some_of(names) + (names.size() == 1 ? " pauses" : " pause") + " the network for at least " +
                   percent(worst) + " of the time, and " + others + ", among them " + port_name(seen) + ".",
               {seen.item("share of time that it paused others", worst, "share", ">=", sides.limit,
                          "digest of " + some_of(names))});
  if (names.size() == 1) said.subject.peer = names.front();
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<FabricPorts> ports = fabric_ports(seen, out);
  if (!ports) return;
  for (const auto* share : {&ports->own.port->tx_pause_share, &ports->own.port->rx_pause_share})
    if (!*share) return cannot_tell(out, share->absent(), "for how long its priorities were paused");
  std::vector<FabricPort> all{ports->own};
  for (const FabricPort& peer : ports->peers)
    if (peer.port->tx_pause_share && peer.port->rx_pause_share) all.push_back(peer);
  const std::size_t nodes = nodes_of(all).size();
  if (static_cast<double>(nodes) < seen.limit("min_nodes"))
    return out.not_looked_at("not_configured",
                             counted(static_cast<double>(nodes), "node") +
                                 " of this role tell for how long they were paused, more are needed",
                             "more peers of the same role in probes.peers");
  const Sides sides = sides_of(seen, all);
  const bool many = sides.victims.size() >= 2 &&
                    static_cast<double>(sides.victims.size()) >= seen.limit("victims") * static_cast<double>(nodes);
  const bool few = !sides.sources.empty() &&
                   static_cast<double>(sides.sources.size()) <= std::max(1.0, kFewSources * static_cast<double>(nodes));
  if (!many || !few || (!has_own(sides.sources) && !has_own(sides.victims))) return out.pass();
  say(seen, out, sides, nodes);
}

}  // namespace

extern const Rule kFabricPauseSource;
constinit const Rule kFabricPauseSource{
    .id = "fabric-pause-source",
    .family = "fabric",
    .action = Action::Isolate,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kFabric,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Port,
    .title = "One node makes many others wait",
    .what =
        "Compares for how long this node and its peers were paused and paused others, as each tells of itself. Fires "
        "when many are paused and one or few send at least five times the median pause: warning on those, info on the "
        "victims.",
    .why = "A slow receiver stops its senders and whoever shares their queues.",
    .next = "Look at that node: PCIe, IOMMU, NUMA, memory; take it out if it does not stop.",
    .likely_causes = {"degraded PCIe link of that node", "host too slow", "NIC that pauses without end"},
    .fix = {Recipe::Pcie, Recipe::Iommu},
    .traps = {"Where no node sends much pause, the congestion is in the switches: incast or oversubscription.",
              "Needs what at least four nodes of the same role told within five minutes.",
              "Shares are told in steps (0.1, 1, 5, 20, 50, 80, 95 %) and at most twice a minute."},
    .limits = {Limit{.name = "factor",
                     .value = 5,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "pause sent, in medians of all nodes"},
               Limit{.name = "least_share",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0.0001,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time below which pause, sent or received, does not count"},
               Limit{.name = "victims",
                     .value = 0.3,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the nodes that must be paused"},
               Limit{.name = "min_nodes",
                     .value = 4,
                     .unit = "count",
                     .min = 2,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "nodes, this one included, from which it is judged"}},
    .facts = {"pause-direction"},
    .judge = judge,
};

}  // namespace roceready::rules

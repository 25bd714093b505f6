// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/fabric_nodes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Families whose faults a switch can cause. What is inside a host alone is shared by nodes of one image.
bool may_come_from_a_switch(std::string_view rule) {
  constexpr std::array<std::string_view, 7> kFamilies{"link-", "lldp-",      "pfc-",  "ecn-",
                                                      "drop-", "transport-", "probe-"};
  return std::any_of(kFamilies.begin(), kFamilies.end(), [&](std::string_view one) { return rule.starts_with(one); });
}

std::size_t with(const std::vector<FabricPort>& ports, const std::string& rule) {
  return static_cast<std::size_t>(std::count_if(ports.begin(), ports.end(), [&](const FabricPort& one) {
    return one.port->findings && one.port->findings->contains(rule);
  }));
}

std::vector<FabricPort> that_tell(std::vector<FabricPort> ports) {
  std::erase_if(ports, [](const FabricPort& one) { return !one.port->findings; });
  return ports;
}

/// A fault that the ports of a leaf share.
struct Common {
  std::string rule;
  Severity severity = Severity::Warning;
  std::size_t here = 0, there = 0;  // ports with it: under this switch, elsewhere
};

std::vector<Common> common_faults(const Evidence& seen, const FabricPort& own, const std::vector<FabricPort>& leaf,
                                  const std::vector<FabricPort>& others) {
  std::vector<Common> out;
  for (const auto& [rule, severity] : *own.port->findings) {
    if (!may_come_from_a_switch(rule)) continue;
    const Common one{rule, severity == "critical" ? Severity::Critical : Severity::Warning, with(leaf, rule) + 1,
                     with(others, rule)};
    const auto ports = static_cast<double>(leaf.size() + 1);
    if (one.here < 2 || static_cast<double>(one.here) < seen.limit("share_of_leaf") * ports) continue;
    if (static_cast<double>(one.there) >= seen.limit("share_elsewhere") * static_cast<double>(others.size())) continue;
    out.push_back(one);
  }
  std::stable_sort(out.begin(), out.end(), [](const Common& a, const Common& b) { return a.severity > b.severity; });
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<FabricPorts> ports = labelled_ports(seen, out);
  if (!ports) return;
  if (!ports->own.port->findings) return cannot_tell(out, ports->own.port->findings.absent(), "its own findings");
  const std::vector<FabricPort> leaf = that_tell(ports->under(ports->own.label));
  const std::vector<FabricPort> others = that_tell(ports->elsewhere(ports->own.label));
  const double least = seen.limit("min_ports");
  if (static_cast<double>(leaf.size() + 1) < least || static_cast<double>(others.size()) < least)
    return out.not_looked_at("not_configured",
                             std::to_string(leaf.size() + 1) + " ports under " + ports->own.label + " and " +
                                 std::to_string(others.size()) + " elsewhere tell their findings, " +
                                 std::to_string(static_cast<long>(least)) + " of each are needed",
                             "more peers of the same role in probes.peers, with probes.label on each");
  const std::vector<Common> common = common_faults(seen, ports->own, leaf, others);
  if (common.empty()) return out.pass();
  std::vector<std::string> names;
  std::vector<EvidenceItem> evidence;
  for (const Common& one : common) {
    names.push_back(one.rule);
    evidence.push_back(seen.item("ports under " + ports->own.label + " with " + one.rule, static_cast<double>(one.here),
                                 "ports", "digests of " + some_of(nodes_of(leaf))));
  }
  const Common& worst = common.front();
  Judgement& said = out.fail(worst.severity,
                             std::to_string(worst.here) + " of " + std::to_string(leaf.size() + 1) + " ports under " +
                                 ports->own.label + " have " + joined(names) + ", and " + std::to_string(worst.there) +
                                 " of " + std::to_string(others.size()) + " elsewhere.",
                             std::move(evidence));
  said.confidence = 0.4;  // the switch is to blame, not this node, whose own findings count as they are
  said.derived_threshold = true;
}

}  // namespace

extern const Rule kFabricLeafCommonFault;
constinit const Rule kFabricLeafCommonFault{
    .id = "fabric-leaf-common-fault",
    .family = "fabric",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kFabric,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "All ports of one switch have the same fault",
    .what =
        "Compares the findings of this port with those that the peers tell of theirs, by the configured label of the "
        "switch (probes.label). Fires when at least half of the ports of this switch have the same finding and less "
        "than 10 % of those elsewhere; as grave as the gravest of them.",
    .why = "The switch is the thing to repair, not the nodes.",
    .next = "Look at that switch: configuration, software, power, line card.",
    .likely_causes = {"setting of the switch", "software of the switch", "line card"},
    .fix = {Recipe::Switch},
    .traps = {"All nodes of a rack may also share their image: compare what else they have in common.",
              "Findings inside the host (host-*, pcie-*, roce-*, qos-*) are left out.",
              "Low confidence: the switch is to blame, and this node's own findings count as they are."},
    .limits = {Limit{.name = "share_of_leaf",
                     .value = 0.5,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "ports of the switch with the finding"},
               Limit{.name = "share_elsewhere",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "ports elsewhere with it, below which it is the switch's"},
               Limit{.name = "min_ports",
                     .value = 3,
                     .unit = "count",
                     .min = 2,
                     .max = 10000,
                     .evidence = 'D',
                     .help = "ports that must tell, under this switch (this one included) and elsewhere"}},
    .facts = {"fabric-majority"},
    .judge = judge,
};

}  // namespace roceready::rules

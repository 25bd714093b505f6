// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <optional>
#include <string>
#include <vector>

#include "rules/fabric_nodes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kPaused = 0.01;  // share of time; less pauses nobody noticeably

bool is_full(const Evidence& seen, const FabricPort& one) {
  return one.port->rx_line_share && *one.port->rx_line_share >= seen.limit("load") &&
         (!one.port->tx_pause_share || *one.port->tx_pause_share < kPaused);
}
bool is_paused(const FabricPort& one) {
  return one.port->rx_pause_share && *one.port->rx_pause_share >= kPaused;
}

/// This node received that much of its line rate for as long as makes it a warning.
bool is_lasting(const Evidence& seen) {
  const double seconds = seen.limit("lasting_s");
  double line = 0, received = 0;
  for (const std::string& name : seen.port().members) {
    const Netdev* member = seen.now().netdev(name);
    const auto speed = member == nullptr ? Reading<std::uint64_t>()
                                         : field(member->ethtool.link_modes, &LinkModes::speed_bits_per_second);
    const auto bytes = seen.history().increase(name, CounterId::RxBytesPhy, kNoLane, seconds);
    if (!speed || !bytes || bytes->seconds < 0.9 * seconds) return false;
    line += static_cast<double>(*speed);
    received += bytes->per_second() * 8;
  }
  return line > 0 && received >= seen.limit("load") * line;
}

void say_here(const Evidence& seen, Outcomes& out, double load, const std::vector<FabricPort>& paused) {
  const bool target = seen.profile()->role == Role::StorageTarget;
  out.fail(is_lasting(seen) && !target ? Severity::Warning : Severity::Info,
           port_name(seen) + " receives at least " + percent(load) + " of its line rate and pauses nobody, while " +
               some_of(nodes_of(paused)) + " are paused: the switch in front of it makes its senders wait." +
               (target ? " On a storage target that is normal." : ""),
           {seen.item("share of the line rate received", load, "share", ">=", seen.limit("load"), "own digest")})
      .derived_threshold = true;
}

void say_there(const Evidence& seen, Outcomes& out, const FabricPort& full) {
  const double load = *full.port->rx_line_share;
  Judgement& said = out.fail(Severity::Info,
                             full.node + " receives at least " + percent(load) + " of its line rate, and " +
                                 port_name(seen) + " is paused: too many send to it at once.",
                             {seen.item("share of the line rate received", load, "share", ">=", seen.limit("load"),
                                        "digest of " + full.node)});
  said.subject.peer = full.node;
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<FabricPorts> ports = fabric_ports(seen, out);
  if (!ports) return;
  if (!ports->own.port->rx_line_share)
    return cannot_tell(out, ports->own.port->rx_line_share.absent(), "how much of its line rate it receives");
  std::vector<FabricPort> told, paused, full;
  for (const FabricPort& peer : ports->peers) {
    if (!peer.port->rx_line_share) continue;
    told.push_back(peer);
    if (is_paused(peer)) paused.push_back(peer);
    if (is_full(seen, peer)) full.push_back(peer);
  }
  const std::size_t nodes = nodes_of(told).size() + 1;
  if (static_cast<double>(nodes) < seen.limit("min_nodes"))
    return out.not_looked_at(
        "not_configured",
        counted(static_cast<double>(nodes), "node") + " of this role tell how much they receive, more are needed",
        "more peers of the same role in probes.peers");
  if (is_full(seen, ports->own) && paused.size() >= 2)
    return say_here(seen, out, *ports->own.port->rx_line_share, paused);
  if (full.size() == 1 && is_paused(ports->own) && !paused.empty()) return say_there(seen, out, full.front());
  out.pass();
}

}  // namespace

extern const Rule kFabricIncast;
constinit const Rule kFabricIncast{
    .id = "fabric-incast",
    .family = "fabric",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kFabric,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Port,
    .title = "Many senders overload one receiver",
    .what =
        "Compares how much this node and its peers receive and for how long they were paused, as each tells of itself. "
        "Fires when one receives at least 95 % of its line rate and pauses nobody while at least two others are "
        "paused: info there and on the others, warning there after ten minutes.",
    .why = "The link of that node is the bottleneck; its senders and their neighbours wait.",
    .next = "Spread the load, or accept it where that is the node's role.",
    .likely_causes = {"traffic pattern of the job", "storage target", "placement of jobs"},
    .fix = {Recipe::Switch},
    .traps = {"Storage targets live like that: told as info by role.",
              "Needs what at least four nodes of the same role told within five minutes.",
              "Senders that slow down by notifications alone are not seen as waiting: only pause tells."},
    .needs = {CounterId::RxBytesPhy},
    .limits = {Limit{.name = "load",
                     .value = 0.95,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "received share of the line rate; told in steps (50, 80, 95 %)"},
               Limit{.name = "lasting_s",
                     .value = 600,
                     .unit = "seconds",
                     .min = 1,
                     .max = 86400,
                     .evidence = 'D',
                     .help = "how long until it is a warning"},
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

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/probe/measured.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const Best best = best_of(seen);
  if (best.fact == nullptr) return out.not_applicable("no file holds a measurement of bandwidth");
  const RdmaPort* port = port_of(seen.now(), *best.fact);
  if (port == nullptr) return out.not_applicable("the measurement does not say of which port it is");
  const std::size_t ports = spread_over(seen.now(), *port);
  if (ports == 1) return out.not_applicable("no bond that spreads connections over its ports is known of");
  const Reading<std::uint64_t> speed = speed_of(seen.now(), *port);
  if (!speed) return out.unknown(speed.absent());
  const double one = static_cast<double>(*speed) / static_cast<double>(ports);
  if (best.bits_per_second > one) return out.not_applicable("more was measured than one port of the bond carries");
  out.fail(Severity::Info,
           "At best " + bit_rate(best.bits_per_second) + " were measured over " + *port->netdev + ", a bond of " +
               std::to_string(ports) + " ports: no more than one of them carries, since a connection uses one port.",
           {seen.item("measured bandwidth", best.bits_per_second, "bits/s", "<=", one, best.fact->place)})
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kProbeLogOnePortOfBond;
constinit const Rule kProbeLogOnePortOfBond{
    .id = "probe-log-one-port-of-bond",
    .family = "probe",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "A measurement over a bond reached what one port carries",
    .what =
        "Compares the best bandwidth that perftest measured over a bond that spreads connections (balance-xor, "
        "802.3ad), by given files, with what one of its ports carries. Info where it is no more.",
    .why = "A program with a single connection gets a share of the bond.",
    .next = "Measure with several connections (ib_write_bw -q 8), and let programs use as many paths as ports.",
    .likely_causes = {"one queue pair, or several that the hash puts on one port"},
    .fix = {Recipe::None},
    .traps = {"It does not say that a port is down."},
    .facts = {"mlx5-roce-lag"},
    .judge = judge,
};

}  // namespace roceready::rules

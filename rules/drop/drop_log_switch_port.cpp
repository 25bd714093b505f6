// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Packets that a line says were dropped, received and to be sent together.
double dropped_of(const LogFact& fact) {
  double out = 0;
  for (const char* name : {"rx_drp", "tx_drp", "output_discards"}) out += stated_number(fact, name).value_or(0);
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = log_entries(seen, {"switch_drops"});
  if (entries.empty()) return out.not_applicable("no file shows packets that a switch dropped");
  std::erase_if(entries.facts, [](const LogFact* fact) { return dropped_of(*fact) <= 0; });
  if (entries.empty()) return out.pass();
  double dropped = 0;
  for (const LogFact* fact : entries.facts) dropped += dropped_of(*fact);
  out.fail(Severity::Info,
           "A switch dropped " + counted(dropped, "packet") + " on " + switch_ports_of(entries) +
               ", since its counters were cleared.",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kDropLogSwitchPort;
constinit const Rule kDropLogSwitchPort{
    .id = "drop-log-switch-port",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "A switch counted dropped packets",
    .what =
        "Reads outputs of switches among given files, as SONiC's `show interfaces counters`. Fires when a port dropped "
        "packets.",
    .why = "RDMA resends a whole window for a lost packet; in a lossless class nothing should be dropped at all.",
    .next =
        "Collect the same output again after a minute, and the drops by queue: growth in the lossless queue is the "
        "fault.",
    .likely_causes = {"traffic outside the lossless class met too small a buffer",
                      "the port does not have PFC on for the class of RDMA",
                      "a VLAN or route that the port does not know"},
    .fix = {Recipe::None},
    .traps = {"The counts go back to the last clearing, and hold all traffic of the port.",
              "Received frames are also dropped by rule, as spanning tree and VLAN filters do."},
    .facts = {"sonic-interface-drops"},
    .judge = judge,
};

}  // namespace roceready::rules

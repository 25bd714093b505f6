// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What a line says of storms: found, or going on.
bool tells_of_a_storm(const LogFact& fact) {
  const auto status = fact.says.find("status");
  if (status != fact.says.end() && status->second == "stormed") return true;
  return stated_number(fact, "storms_detected").value_or(0) > 0 || stated_number(fact, "pause_storms").value_or(0) > 0;
}

double sum_of(const LogEntries& entries, const std::string& name) {
  double out = 0;
  for (const LogFact* fact : entries.facts) out += stated_number(*fact, name).value_or(0);
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = log_entries(seen, {"switch_watchdog"});
  if (entries.empty()) return out.not_applicable("no file shows the watchdog of a switch");
  std::erase_if(entries.facts, [](const LogFact* fact) { return !tells_of_a_storm(*fact); });
  if (entries.empty()) return out.pass();
  const double storms = sum_of(entries, "storms_detected") + sum_of(entries, "pause_storms");
  const double dropped = sum_of(entries, "tx_drop") + sum_of(entries, "rx_drop");
  std::string sentence = "A switch saw a storm of pause frames on " + switch_ports_of(entries);
  if (storms > 0) sentence += " (" + counted(storms, "storm") + ")";
  if (dropped > 0) sentence += " and dropped " + counted(dropped, "packet") + " there";
  out.fail(Severity::Warning, sentence + ".", evidence_of(seen, entries)).confidence = kLogConfidence;
}

}  // namespace

extern const Rule kPfcLogSwitchStorm;
constinit const Rule kPfcLogSwitchStorm{
    .id = "pfc-log-switch-storm",
    .family = "pfc",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The watchdog of a switch saw a pause storm",
    .what =
        "Reads outputs of switches among given files: SONiC's `show pfcwd stats`, and counts of pause storms. Fires "
        "when a queue is or was in storm.",
    .why =
        "What is connected to that port held the switch by pause for long; its watchdog drops what waits there, and "
        "connections lose packets in a lossless class.",
    .next =
        "See what is connected to the port, and look at that receiver: PCIe link, host-buffer drops, a program that "
        "hangs.",
    .likely_causes = {"a receiver that does not drain its buffers", "a NIC or host that hangs while it still pauses",
                      "a circle of pause between switches"},
    .fix = {Recipe::None},
    .traps = {"The counts go back to the last clearing: a storm may be old where the queue is operational.",
              "The port may lead to another node or to a switch."},
    .facts = {"sonic-storm-detector", "sonic-watchdog-drops"},
    .judge = judge,
};

}  // namespace roceready::rules

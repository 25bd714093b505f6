// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"slot_power"});
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  out.fail(Severity::Info,
           "The NIC says that its slot announces little power" + on_subjects(entries) +
               ". Healthy hosts say so, too: no fault follows from it.",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kHostLogSlotPower;
constinit const Rule kHostLogSlotPower{
    .id = "host-log-slot-power",
    .family = "host",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The NIC says that its slot gives little power",
    .what = "Reads logs among given files for the mlx5 message about insufficient power of the PCIe slot. Always info.",
    .why = "A card that gets too little power may limit its ports or modules.",
    .next = "Nothing, unless modules are refused or ports are slow: then look at the slot and its power cable.",
    .likely_causes = {"the slot announces less power than the card may take"},
    .fix = {Recipe::None},
    .traps = {"Healthy hosts have the same line: it is no explanation of anything."},
    .facts = {"mlx5-slot-power"},
    .judge = judge,
};

}  // namespace roceready::rules

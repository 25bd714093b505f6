// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = log_entries(seen, {"aer_error"});
  std::erase_if(entries.facts, [](const LogFact* fact) { return fact->subject.empty(); });
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  bool uncorrected = false;
  for (const LogFact* fact : entries.facts) {
    const auto severity = fact->says.find("severity");
    uncorrected = uncorrected || (severity != fact->says.end() && severity->second != "correctable");
  }
  out.fail(uncorrected ? Severity::Warning : Severity::Info,
           std::string("The kernel reports ") +
               (uncorrected ? "PCIe errors that were not corrected" : "corrected PCIe errors") + on_subjects(entries) +
               " (" + counted(entries.lines, "log line") + ").",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kPcieLogAer;
constinit const Rule kPcieLogAer{
    .id = "pcie-log-aer",
    .family = "pcie",
    .action = Action::Monitor,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The kernel reports PCIe errors of the NIC's link",
    .what =
        "Reads logs among given files for PCIe errors (AER) of a NIC's function or a bridge above it. Fires when there "
        "is one: a warning where an error was not corrected, else info.",
    .why =
        "Errors that are not corrected stop the NIC or cost data; corrected ones cost time and may be the first sign.",
    .next = "Seat the card anew, then try another slot; watch whether the totals grow.",
    .likely_causes = {"a badly seated card or riser", "a signal at its limit", "a failing slot or card"},
    .fix = {Recipe::None},
    .traps = {"Corrected errors of unknown age are no fault: info."},
    .facts = {"kernel-pci-aer"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <utility>
#include <vector>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// " on 0000:3b:00.0 (2 log lines)".
std::string where(const LogEntries& entries) {
  return on_subjects(entries) + " (" + counted(entries.lines, "log line") + ")";
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = log_entries(seen, {"aer_error"});
  std::erase_if(entries.facts, [](const LogFact* fact) { return fact->subject.empty(); });
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  LogEntries corrected, others;
  for (const LogFact* fact : entries.facts) {
    const auto severity = fact->says.find("severity");
    const bool grave = severity != fact->says.end() && severity->second != "correctable";
    LogEntries& kind = grave ? others : corrected;
    kind.facts.push_back(fact);
    kind.lines += fact->count;
  }
  std::vector<std::string> kinds;
  if (!others.empty()) kinds.push_back("PCIe errors that were not corrected" + where(others));
  if (!corrected.empty()) kinds.push_back("corrected PCIe errors" + where(corrected));
  std::vector<EvidenceItem> evidence = evidence_of(seen, others);
  for (EvidenceItem& item : evidence_of(seen, corrected)) evidence.push_back(std::move(item));
  out.fail(others.empty() ? Severity::Info : Severity::Warning, "The kernel reports " + joined(kinds) + ".",
           std::move(evidence))
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

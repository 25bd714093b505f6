// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Statuses without a name of their own stay numbers.
std::string name_of_status(const LogFact& fact) {
  if (fact.kind == "local_protection_error") return "local protection error";
  if (fact.kind == "remote_access_error") return "remote access error";
  if (fact.kind == "flush_error") return "flushed work requests";
  const auto status = stated_number(fact, "status");
  return "status " + (status ? number_text(*status) : std::string("unknown"));
}

/// Errors that other rules speak of are left to them; notes without a status name no error.
LogEntries errors_of(const Evidence& seen) {
  const bool iommu = !log_entries(seen, {"iommu_fault"}).empty();
  LogEntries out = log_entries(seen, {"remote_access_error", "local_protection_error", "completion_error"});
  std::erase_if(out.facts, [&](const LogFact* fact) {
    if (fact->kind == "local_protection_error") return iommu;
    return fact->kind == "completion_error" && !fact->says.contains("status");
  });
  return out;
}

std::string names_of(const LogEntries& entries) {
  std::vector<std::string> names;
  for (const LogFact* fact : entries.facts) {
    const std::string name = name_of_status(*fact);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return joined(names);
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = errors_of(seen);
  const bool flushed = entries.empty();
  if (flushed) {
    if (!log_entries(seen, {"retry_exceeded", "rnr_retry_exceeded", "iommu_fault"}).empty())
      return out.not_applicable("other lines of the files name the error that came first");
    entries = log_entries(seen, {"flush_error"});
  }
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  out.fail(flushed ? Severity::Info : Severity::Warning,
           flushed ? "Work requests were flushed" + on_subjects(entries) +
                         ": the queue pair was in error already, and no file says why."
                   : "Work requests ended in error" + on_subjects(entries) + ": " + names_of(entries) +
                         ". The programs or their memory are at fault, hardly the fabric.",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogCompletionError;
constinit const Rule kTransportLogCompletionError{
    .id = "transport-log-completion-error",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Programs report work requests that ended in error",
    .what =
        "Reads logs among given files for completions with an error other than exhausted retries: remote access, local "
        "protection, any other status. Fires when there is one; info where work requests were flushed and no line "
        "names the error that came first.",
    .why = "The queue pair is broken, and the job that uses it usually ends.",
    .next =
        "Look in the log of the other end, and what the program does with the memory that it registered: keys, bounds, "
        "access rights, freed buffers.",
    .likely_causes = {"a key or an address that the peer did not register, or not for this access",
                      "memory that was freed or unmapped while in use", "the peer's program ended first"},
    .fix = {Recipe::None},
    .traps = {"Exhausted retries have rules of their own.",
              "Local protection errors beside faults of the IOMMU are host-log-iommu-fault."},
    .facts = {"verbs-completion-status"},
    .judge = judge,
};

}  // namespace roceready::rules

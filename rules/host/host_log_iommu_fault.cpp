// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  LogEntries entries = log_entries(seen, {"iommu_fault"});
  std::erase_if(entries.facts, [](const LogFact* fact) { return fact->subject.empty(); });
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  const LogEntries protection = log_entries(seen, {"local_protection_error"});
  std::vector<EvidenceItem> evidence = evidence_of(seen, entries);
  const std::vector<EvidenceItem> also = evidence_of(seen, protection);
  evidence.insert(evidence.end(), also.begin(), also.end());
  std::string sentence = "The IOMMU refused accesses to memory" + on_subjects(entries) + ".";
  if (!protection.empty())
    sentence += " RDMA ended with local protection errors as well: that is the host's software, not the fabric.";
  Judgement& said =
      out.fail(protection.empty() ? Severity::Warning : Severity::Critical, sentence, std::move(evidence));
  said.confidence = kLogConfidence;
}

}  // namespace

extern const Rule kHostLogIommuFault;
constinit const Rule kHostLogIommuFault{
    .id = "host-log-iommu-fault",
    .family = "host",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The IOMMU refused the NIC access to memory",
    .what =
        "Reads logs among given files for faults of the IOMMU on a NIC's function. Fires when there is one; critical "
        "when a local protection error of RDMA stands in the same files.",
    .why = "A transfer of the NIC was stopped: connections break, whatever the network does.",
    .next = "Update kernel and driver; as a test, boot with iommu=pt.",
    .likely_causes = {"the kernel or a driver unmapped memory that was still in use",
                      "a wrong table of the firmware (DMAR, IVRS)"},
    .fix = {Recipe::None},
    .traps = {"Faults of other devices are not looked at."},
    .facts = {"kernel-iommu-group-type"},
    .judge = judge,
};

}  // namespace roceready::rules

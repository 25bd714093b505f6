// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <vector>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMacConfidence = 0.9;  // the address stands in a file

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"gid_add_failed"});
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  const LogEntries multicast = log_entries(seen, {"multicast_mac"});
  std::vector<EvidenceItem> evidence = evidence_of(seen, entries);
  const std::vector<EvidenceItem> macs = evidence_of(seen, multicast);
  evidence.insert(evidence.end(), macs.begin(), macs.end());
  std::string sentence = "The kernel says that a GID could not be written into the NIC" + on_subjects(entries) + " (" +
                         counted(entries.lines, "log line") + ").";
  if (!multicast.empty()) sentence += " The netdev's MAC address is a multicast one, which no NIC takes.";
  Judgement& said =
      out.fail(multicast.empty() ? Severity::Warning : Severity::Critical, std::move(sentence), std::move(evidence));
  said.confidence = multicast.empty() ? kLogConfidence : kMacConfidence;
}

}  // namespace

extern const Rule kHostLogGidAddFailed;
constinit const Rule kHostLogGidAddFailed{
    .id = "host-log-gid-add-failed",
    .family = "host",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "The kernel could not write a GID into the NIC",
    .what =
        "Reads logs among given files for GIDs that the driver or the firmware refused (\"GID add failed\", "
        "SET_ROCE_ADDRESS). Fires when there is such a line; critical when a file shows a multicast MAC on the netdev.",
    .why = "An address without its GID cannot be used for RoCE; without any GID the port is of no use.",
    .next =
        "Look at the MAC address of the netdev (an odd first octet is a multicast address, which no NIC takes) and at "
        "the GID table.",
    .likely_causes = {"the MAC address of the netdev is a multicast one", "the GID table is full",
                      "firmware and driver do not fit"},
    .fix = {Recipe::None},
    .traps = {"Whether the GID came in later is seen in the GID table alone."},
    .facts = {"kernel-gid-table"},
    .judge = judge,
};

}  // namespace roceready::rules

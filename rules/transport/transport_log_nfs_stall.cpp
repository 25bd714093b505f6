// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"nfs_not_responding"});
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  out.fail(Severity::Info,
           "An NFS server did not answer (" + counted(entries.lines, "log line") +
               "). If its address moved to another port or node just before: connections by RDMA-CM are tried with the "
               "old MAC until its retries run out, for minutes.",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogNfsStall;
constinit const Rule kTransportLogNfsStall{
    .id = "transport-log-nfs-stall",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "An NFS server did not answer for a while",
    .what = "Reads logs among given files for NFS servers that did not respond. Always info.",
    .why = "Programs that use the mount wait.",
    .next =
        "Compare the time with that of the server's move (ip neigh, ip monitor neigh); where nothing moved, look at "
        "the server, and at the IOMMU of this host.",
    .likely_causes = {"the server's address moved, and the retries of RDMA-CM went to its old MAC",
                      "the server was busy or down", "the host's IOMMU stalls RDMA"},
    .fix = {Recipe::None},
    .traps = {"It does not say that a link was down.", "Whether the mount uses RDMA is not seen."},
    .facts = {"rdma-cm-old-mac"},
    .judge = judge,
};

}  // namespace roceready::rules

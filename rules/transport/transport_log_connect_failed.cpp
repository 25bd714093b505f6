// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

bool is_link_local(const LogFact& fact) {
  for (const char* name : {"gid", "peer_gid"}) {
    const auto at = fact.says.find(name);
    if (at != fact.says.end() && at->second.starts_with("fe80:")) return true;
  }
  return false;
}

std::string reason_of(const LogEntries& entries) {
  for (const LogFact* fact : entries.facts) {
    const auto error = fact->says.find("error");
    if (error != fact->says.end()) return ": " + error->second;
  }
  return {};
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"modify_qp_failed"});
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  bool local = false;
  for (const LogFact* fact : entries.facts) local = local || is_link_local(*fact);
  out.fail(Severity::Warning,
           "A queue pair could not be connected" + on_subjects(entries) + reason_of(entries) + "." +
               (local ? " It used a link-local GID, which no router forwards: a likely cause." : ""),
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogConnectFailed;
constinit const Rule kTransportLogConnectFailed{
    .id = "transport-log-connect-failed",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Programs could not connect a queue pair",
    .what =
        "Reads logs among given files for a failed ibv_modify_qp, and the GIDs that the same line states. Fires when "
        "there is such a line.",
    .why = "The job does not start, or loses this connection.",
    .next =
        "Check that both ends use a routable RoCE v2 GID and reach each other by it: `ping` between the addresses, "
        "then "
        "`ib_write_bw -x INDEX`.",
    .likely_causes = {"a GID index that is empty, link-local or RoCE v1", "no route or no neighbour entry for the peer",
                      "a port that was down when the program started"},
    .fix = {Recipe::Gid},
    .traps = {"A peer that is not up yet looks alike."},
    .facts = {"kernel-connect-resolves-address", "kernel-gid-table"},
    .judge = judge,
};

}  // namespace roceready::rules

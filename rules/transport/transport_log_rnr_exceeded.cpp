// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"rnr_retry_exceeded"});
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  out.fail(Severity::Warning,
           "Connections gave up because the receiver was not ready" + on_subjects(entries) + " (" +
               counted(entries.lines, "log line") + ").",
           evidence_of(seen, entries))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogRnrExceeded;
constinit const Rule kTransportLogRnrExceeded{
    .id = "transport-log-rnr-exceeded",
    .family = "transport",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Programs report a receiver that was never ready",
    .what =
        "Reads logs among given files for completions with status 13 (RNR retry counter exceeded). Fires when there is "
        "such a line.",
    .why = "The queue pair is broken: the peer posted no receive buffer in time.",
    .next = "Post more receive buffers, use a shared receive queue, or let senders retry without end (rnr_retry 7).",
    .likely_causes = {"the receiving program posts too few buffers or is too slow", "it advertises too few retries"},
    .fix = {Recipe::None},
    .traps = {"It says nothing about the fabric."},
    .facts = {"ibta-rnr"},
    .judge = judge,
};

}  // namespace roceready::rules

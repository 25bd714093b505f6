// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// What the files say of the address and the class in use.
struct Choice {
  std::string sentence;
  std::vector<EvidenceItem> evidence;
};

bool says(const LogFact& fact, const std::string& name, std::string_view begin) {
  const auto at = fact.says.find(name);
  return at != fact.says.end() && at->second.starts_with(begin);
}

Choice choice_of(const Evidence& seen) {
  Choice out;
  bool link_local = false, unclassified = false, any = false;
  const LogEntries entries = log_entries(seen, {"gid_choice", "retry_exceeded", "modify_qp_failed"});
  for (const LogFact* fact : entries.facts) {
    const bool local = says(*fact, "gid", "fe80:") || says(*fact, "peer_gid", "fe80:");
    const std::optional<double> tc = stated_number(*fact, "traffic_class");
    any = any || fact->says.contains("gid") || tc;
    if (local || (tc && *tc == 0))
      out.evidence.push_back(seen.word("address and class in use", fact->text, fact->place));
    link_local = link_local || local;
    unclassified = unclassified || (tc && *tc == 0);
  }
  constexpr std::size_t kMost = 4;
  if (out.evidence.size() > kMost) out.evidence.resize(kMost);
  if (link_local) out.sentence += "They used a link-local GID, which no router forwards: a likely cause. ";
  if (unclassified) out.sentence += "Their traffic class was 0, outside any lossless class: a likely cause. ";
  if (!link_local && !unclassified)
    out.sentence = any ? "Address and traffic class look right: counters of both ends would tell more."
                       : "Loss and a dead peer look alike here: counters of both ends would tell.";
  while (out.sentence.ends_with(" ")) out.sentence.pop_back();
  return out;
}

std::string vendor_error_of(const LogEntries& entries) {
  for (const LogFact* fact : entries.facts) {
    const auto at = fact->says.find("vendor_error");
    if (at != fact->says.end()) return ", vendor error " + at->second;
  }
  return {};
}

/// Completions with status 12; else a connection that ended in error after its ACK timeouts had begun to count.
LogEntries unanswered(const Evidence& seen) {
  LogEntries out = log_entries(seen, {"retry_exceeded"});
  if (!out.empty()) return out;
  const LogEntries moved = log_entries(seen, {"counter_moved"}), ended = log_entries(seen, {"completion_error"});
  const auto at = std::find_if(moved.facts.begin(), moved.facts.end(),
                               [](const LogFact* fact) { return says(*fact, "counter", "local_ack_timeout_err"); });
  const auto end = std::find_if(ended.facts.begin(), ended.facts.end(),
                                [](const LogFact* fact) { return fact->says.contains("after_ms"); });
  if (at == moved.facts.end() || end == ended.facts.end()) return out;
  out.facts = {*at, *end};
  out.lines = 2;
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = unanswered(seen);
  if (entries.empty()) return out.not_applicable("no line of the files speaks of it");
  const Choice choice = choice_of(seen);
  std::vector<EvidenceItem> evidence = evidence_of(seen, entries);
  evidence.insert(evidence.end(), choice.evidence.begin(), choice.evidence.end());
  out.fail(Severity::Warning,
           "Connections gave up without an acknowledgement" + on_subjects(entries) + " (" +
               counted(entries.lines, "log line") + vendor_error_of(entries) + "). " + choice.sentence,
           std::move(evidence))
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kTransportLogRetryExceeded;
constinit const Rule kTransportLogRetryExceeded{
    .id = "transport-log-retry-exceeded",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Programs report exhausted retries",
    .what =
        "Reads logs among given files for completions with status 12 (transport retry counter exceeded), and what the "
        "same files say of the GID and the traffic class in use. Fires when there is such a line, or where somebody "
        "noted "
        "ACK timeouts and a completion error behind them.",
    .why = "The queue pair is broken, and the job that uses it usually ends.",
    .next = "Collect the counters of both ends and of the switch around the time of the error.",
    .likely_causes = {"the peer died or is not reachable by this GID", "packets are lost on the path",
                      "the traffic class is not the lossless one"},
    .fix = {Recipe::None},
    .traps = {"A line of this kind alone does not tell loss from a dead peer.",
              "Adaptive retransmission alone is an early hint, no failure: it does not count here.",
              "A right GID and traffic class are no fault."},
    .facts = {"ibta-ack-timeout"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>
#include <string_view>
#include <vector>

#include "rules/log_facts.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Frames of all priorities that a line states.
double frames_of(const LogFact& fact) {
  double out = 0;
  for (const auto& [name, value] : fact.says) {
    if (name.starts_with("priority_") || name == "TxPPP" || name == "RxPPP")
      out += stated_number(fact, name).value_or(0);
  }
  return out;
}

LogEntries with_frames(const Evidence& seen, std::string_view kind, double& frames) {
  LogEntries out = log_entries(seen, {kind});
  std::erase_if(out.facts, [](const LogFact* fact) { return frames_of(*fact) <= 0; });
  frames = 0;
  for (const LogFact* fact : out.facts) frames += frames_of(*fact);
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  double received = 0, sent = 0;
  const LogEntries in = with_frames(seen, "switch_pfc_received", received);
  const LogEntries towards = with_frames(seen, "switch_pfc_sent", sent);
  if (in.empty() && towards.empty()) return out.not_applicable("no file shows PFC frames that a switch counted");
  std::string sentence;
  if (!in.empty())
    sentence = "A switch was paused by what is connected to " + switch_ports_of(in) + " (" +
               counted(received, "PFC frame") + " received)";
  if (!towards.empty())
    sentence += (in.empty() ? "A switch paused what is connected to " : "; it paused what is connected to ") +
                switch_ports_of(towards) + " (" + counted(sent, "PFC frame") + " sent)";
  std::vector<EvidenceItem> evidence = evidence_of(seen, in);
  const std::vector<EvidenceItem> more = evidence_of(seen, towards);
  evidence.insert(evidence.end(), more.begin(), more.end());
  out.fail(Severity::Info, sentence + ", since its counters were cleared.", std::move(evidence)).confidence =
      kLogConfidence;
}

}  // namespace

extern const Rule kPfcLogSwitchPauses;
constinit const Rule kPfcLogSwitchPauses{
    .id = "pfc-log-switch-pauses",
    .family = "pfc",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "A switch counted PFC frames",
    .what =
        "Reads outputs of switches among given files, as SONiC's `show pfc counters`. Fires when a port received or "
        "sent PFC frames.",
    .why =
        "Received frames mean a node or switch that could not take more; sent frames mean that this switch could not.",
    .next = "Collect the same output again after a minute: what grows now is what matters.",
    .likely_causes = {"a receiver slower than its senders together", "congestion that ECN does not keep small"},
    .fix = {Recipe::None},
    .traps = {"The counts go back to the last clearing, and some pause is normal in a lossless class.",
              "The port may lead to another node or to a switch."},
    .facts = {"ieee-802.1qbb"},
    .judge = judge,
};

}  // namespace roceready::rules

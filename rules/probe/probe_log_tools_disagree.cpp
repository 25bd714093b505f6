// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/log_facts.h"

namespace roceready::rules {
namespace {

const std::string& word_of(const LogFact& fact, const std::string& name) {
  static const std::string kNone;
  const auto at = fact.says.find(name);
  return at == fact.says.end() ? kNone : at->second;
}

/// A test that passed at a size at which another one failed.
const LogFact* other_of(const LogEntries& entries, const LogFact& failed) {
  const std::optional<double> least = stated_number(failed, "bytes");
  for (const LogFact* fact : entries.facts) {
    const std::optional<double> bytes = stated_number(*fact, "bytes");
    if (!least || !bytes || word_of(*fact, "outcome") != "passed") continue;
    if (word_of(*fact, "test") == word_of(failed, "test")) continue;
    if (failed.says.contains("above") ? *bytes > *least : *bytes >= *least) return fact;
  }
  return nullptr;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const LogEntries entries = log_entries(seen, {"message_size"});
  for (const LogFact* fact : entries.facts) {
    if (word_of(*fact, "outcome") != "failed") continue;
    const LogFact* other = other_of(entries, *fact);
    if (other == nullptr) continue;
    out.fail(Severity::Info,
             word_of(*fact, "test") + " fails where " + word_of(*other, "test") +
                 " passes as much: confirm with a second tool before the network is blamed.",
             {seen.word("failed", fact->text, fact->place), seen.word("passed", other->text, other->place)})
        .confidence = kLogConfidence;
    return;
  }
  out.not_applicable("no two tests of the files contradict each other");
}

}  // namespace

extern const Rule kProbeLogToolsDisagree;
constinit const Rule kProbeLogToolsDisagree{
    .id = "probe-log-tools-disagree",
    .family = "probe",
    .action = Action::Triage,
    .severities = {Severity::Info},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "One test fails where another passes",
    .what =
        "Reads notes of tests among given files. Fires where one tool failed at a message size that another one moved, "
        "or at less.",
    .why = "What moves the same bytes over the same path shows that the path carries them.",
    .next = "Repeat the failing test with another tool, another version or host memory in place of a GPU's.",
    .likely_causes = {"the tool and the platform do not fit", "how the tool registers its memory"},
    .fix = {Recipe::None},
    .traps = {"Both tests must have run between the same two ports: files seldom say so."},
    .facts = {"perftest-fails-alone"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "core/base/text.h"
#include "rules/log_facts.h"

namespace roceready::rules {
namespace {

bool says(const LogFact& fact, const std::string& name, std::string_view value) {
  const auto at = fact.says.find(name);
  return at != fact.says.end() && at->second == value;
}

struct Ends {
  const LogFact *passed = nullptr, *failed = nullptr;  ///< largest that passed, smallest that failed
  double most_passed = 0, least_failed = 0;
};

Ends ends_of(const LogEntries& entries) {
  Ends out;
  for (const LogFact* fact : entries.facts) {
    const std::optional<double> bytes = stated_number(*fact, "bytes");
    if (!bytes || fact->says.contains("above")) continue;
    if (says(*fact, "outcome", "passed") && (out.passed == nullptr || *bytes > out.most_passed)) {
      out.passed = fact;
      out.most_passed = *bytes;
    }
    if (says(*fact, "outcome", "failed") && (out.failed == nullptr || *bytes < out.least_failed)) {
      out.failed = fact;
      out.least_failed = *bytes;
    }
  }
  return out;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (without_logs(seen, out)) return;
  const Ends ends = ends_of(log_entries(seen, {"message_size"}));
  if (ends.passed == nullptr || ends.failed == nullptr)
    return out.not_applicable("no file notes a size that passed and one that failed");
  if (ends.most_passed >= ends.least_failed)
    return out.not_applicable("size does not tell what passes from what fails");
  if (ends.least_failed > seen.limit("largest_packet"))
    return out.not_applicable("what fails is larger than one packet can be");
  const std::string passed = number_text(ends.most_passed), failed = number_text(ends.least_failed);
  out.fail(Severity::Warning,
           "Messages of " + passed + " bytes pass and those of " + failed +
               " bytes do not: somewhere on the path larger packets are dropped.",
           {seen.item("largest message that passed", ends.most_passed, "bytes", ends.passed->place),
            seen.item("smallest message that failed", ends.least_failed, "bytes", ends.failed->place)})
      .confidence = kLogConfidence;
}

}  // namespace

extern const Rule kProbeLogSizeLimit;
constinit const Rule kProbeLogSizeLimit{
    .id = "probe-log-size-limit",
    .family = "probe",
    .action = Action::FixConfig,
    .severities = {Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Node,
    .title = "Small messages pass and larger ones do not",
    .what =
        "Reads notes of tests among given files: sizes that passed and sizes that failed. Fires where every failing "
        "size is above every passing one and the smallest of them fits into one packet.",
    .why = "A path that drops full packets without a word lets connections begin and then hang.",
    .next =
        "Compare the MTU of both ends and of every switch port between them; `roceready probe` sends small and full "
        "packets.",
    .likely_causes = {"one port of the path has a smaller MTU than the RDMA MTU needs",
                      "a tunnel or VLAN takes bytes that nobody reckoned with"},
    .fix = {Recipe::None},
    .traps = {"A failure at sizes above one packet has other reasons: it is not judged."},
    .limits = {Limit{.name = "largest_packet",
                     .value = 4097,
                     .unit = "bytes",
                     .min = 256,
                     .max = 9216,
                     .evidence = 'K',
                     .help = "payload that the largest RDMA MTU cannot carry in one packet any more"}},
    .facts = {"kernel-roce-mtu"},
    .judge = judge,
};

}  // namespace roceready::rules

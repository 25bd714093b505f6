// SPDX-License-Identifier: Apache-2.0
#include "daemon/conditions.h"

#include <utility>

#include "rules/rule.h"

namespace roceready::daemon {

std::vector<ConditionChange> Conditions::update(std::map<std::string, std::string> now) {
  using Kind = ConditionChange::Kind;
  std::vector<ConditionChange> out;
  for (const auto& [name, text] : now) {
    const auto before = last_.find(name);
    if (before == last_.end())
      out.push_back({Kind::Begins, name, text});
    else if (before->second != text)
      out.push_back({Kind::Changes, name, text});
  }
  for (const auto& [name, text] : last_)
    if (!now.contains(name)) out.push_back({Kind::Ends, name, text});
  last_ = std::move(now);
  return out;
}

std::map<std::string, std::string> conditions_of(const rules::Report& report) {
  std::map<std::string, std::string> out;
  out["verdict"] = name_of(report.verdict);
  for (const rules::Finding& finding : report.findings)
    if (finding.severity == rules::Severity::Critical)
      // The numbers of a finding move with each sample; its title does not.
      out[finding.key] =
          std::string(finding.rule->title) + (finding.state == rules::FindingState::Recovering ? ", recovering" : "");
  if (report.snapshot)
    for (const CollectorRun& run : report.snapshot->collectors)
      if (!run.success) out["collector " + run.collector] = run.success.absent().detail + ", its facts are skipped";
  return out;
}

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#include "rules/acceptance.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/time.h"
#include "rules/rule.h"

namespace roceready::rules {
namespace {

std::string day_and_time(std::int64_t wall_ns) {
  const std::string text = rfc3339(wall_ns);
  return text.substr(0, 10) + " " + text.substr(11, 5) + " UTC";
}

}  // namespace

void attest(const std::vector<Attestation>& attestations, const Rule& rule, const RdmaPort& port,
            const Profile* profile, std::int64_t now_wall_ns, Judgement& said, std::vector<Attested>& taken) {
  if (attestations.empty()) return;
  const bool unreadable =
      said.outcome == Outcome::Unknown || (said.outcome == Outcome::NotLookedAt && said.why == "never_shown");
  if (!unreadable || profile == nullptr || !is_mandatory(rule, profile)) return;
  for (const Attestation& one : attestations) {
    if (!one.covers(rule.id, port)) continue;
    if (one.expired(now_wall_ns)) {
      said.sentence += " (what " + one.by + " attested ended on " + day_and_time(one.expires_wall_ns) + ")";
      continue;
    }
    said.outcome = Outcome::Attested;
    taken.push_back({rule.id, said.subject, said.sentence, one.by, one.reason, one.expires_wall_ns});
    return;
  }
}

void waive(const std::vector<Waiver>& waivers, std::vector<Finding>& findings, Report& report) {
  if (waivers.empty()) return;
  const auto waiver_of = [&](const Finding& finding) {
    return std::find_if(waivers.begin(), waivers.end(), [&](const Waiver& one) {
      return !one.expired(report.at.wall_ns) && one.covers(finding.rule->id, finding.key);
    });
  };
  std::vector<Finding> left;
  for (Finding& finding : findings) {
    const auto waiver = waiver_of(finding);
    if (waiver == waivers.end()) {
      left.push_back(std::move(finding));
      continue;
    }
    report.waived.push_back(
        {finding.rule->id, finding.subject, "waived",
         finding.seen + " Waived until " + day_and_time(waiver->expires_wall_ns) + ": " + waiver->reason, ""});
    report.waived_findings.push_back({std::move(finding), waiver->reason, waiver->expires_wall_ns});
  }
  findings = std::move(left);
  for (const Waiver& one : waivers) {
    if (!one.expired(report.at.wall_ns)) continue;
    report.waived.push_back({one.finding.substr(0, one.finding.find('@')),
                             {},
                             "expired",
                             "the waiver of " + one.finding + " ended on " + day_and_time(one.expires_wall_ns) +
                                 ", so that counts again (" + one.reason + ")",
                             "a later expiry in waivers, or take it out there"});
  }
}

}  // namespace roceready::rules

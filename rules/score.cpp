// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "core/base/text.h"
#include "rules/engine.h"
#include "rules/verdict.h"

// Scoring of docs/scoring.md: per family max + 0.25 × the others, at most 60; then caps. A partition by family and caps
// that only fall keep it monotone: another finding, a higher severity or confidence never raises the score.

namespace roceready::rules {
namespace {

constexpr double kBaseCritical = 40;
constexpr double kBaseWarning = 12;
constexpr double kDamping = 0.25;
constexpr double kFamilyCap = 60;
constexpr double kRecoveringShare = 0.5;

double weight(const Finding& finding) {
  double base = 0;
  if (finding.severity == Severity::Critical) base = kBaseCritical;
  if (finding.severity == Severity::Warning) base = kBaseWarning;
  return base * finding.confidence * (finding.state == FindingState::Recovering ? kRecoveringShare : 1.0);
}

/// Highest score that this finding allows. A recovering one counts as a warning: it allows at most `degraded`.
double cap_of(const Finding& finding) {
  const bool recovering = finding.state == FindingState::Recovering;
  if (finding.severity == Severity::Critical && !recovering) return finding.confidence >= kSure ? 49 : 69;
  if (finding.severity == Severity::Info) return 100;
  return finding.confidence >= kSure ? 89 : 100;
}

void penalise_family(const std::string& family, std::vector<const Finding*> members, Score& score) {
  std::sort(members.begin(), members.end(), [](const Finding* a, const Finding* b) {
    const double wa = weight(*a);
    const double wb = weight(*b);
    return wa > wb || (!(wb > wa) && a->key < b->key);
  });
  double left = kFamilyCap;
  double share = 1.0;
  for (const Finding* finding : members) {
    const double points = std::min({weight(*finding) * share, left, score.value});
    std::string note = std::string(name_of(finding->severity)) + ", confidence " + short_number(finding->confidence);
    if (share < 1.0) note += ", a quarter: not the gravest of its family";
    if (finding->state == FindingState::Recovering) note += ", half: recovering";
    if (points > 0) score.penalties.push_back({finding->key, family, points, std::move(note)});
    left -= points;
    score.value -= points;
    share = kDamping;
  }
}

}  // namespace

Score score_of(const std::vector<const Finding*>& findings) {
  Score score;
  std::map<std::string, std::vector<const Finding*>> families;
  double cap = 100;
  const Finding* capped_by = nullptr;
  for (const Finding* finding : findings) {
    if (weight(*finding) > 0) families[finding->rule->family].push_back(finding);
    const double allowed = cap_of(*finding);
    if (allowed < cap || (capped_by != nullptr && allowed <= cap && finding->key < capped_by->key)) {
      cap = allowed;
      capped_by = finding;
    }
  }
  for (auto& [family, members] : families) penalise_family(family, std::move(members), score);
  if (score.value > cap && capped_by != nullptr) {
    score.penalties.push_back(
        {capped_by->key, "cap", score.value - cap,
         "at most " + short_number(cap) + " while a " + name_of(capped_by->severity) + " finding stands"});
    score.value = cap;
  }
  return score;
}

}  // namespace roceready::rules

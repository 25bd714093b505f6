// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rules/engine.h"
#include "rules/evidence.h"
#include "rules/report.h"

namespace roceready::rules {

/// Confidence from which a finding counts as confirmed (product.md 1).
inline constexpr double kSure = 0.7;

/// What came of one rule on one subject. Its words, where it has any, are among the findings and gaps.
struct RuleJudgement {
  const Rule* rule = nullptr;
  const Subject* where = nullptr;  ///< what the rule was asked about: without priority and peer
  Outcome outcome = Outcome::Unknown;
  /// Unknown: something critical may hide behind it, so that the port cannot be ready.
  bool hides_a_critical = false;
};

/// Share of what applies that could be judged, by the weight of each rule's gravest severity.
[[nodiscard]] Coverage coverage_of(const RuleJudgement* begin, const RuleJudgement* end);

struct PortState {
  bool not_roce = false;  ///< its profile is not-roce
  bool profile_stated = false;
  bool mandatory_unknown = false;
  bool no_counters = false;  ///< not one counter of loss or transport was there; see unread_counters.h
  bool initializing = false;
  Coverage coverage;
  std::vector<const Finding*> findings;  ///< of this port
};
/// Verdict of one port: the first condition that holds (not_applicable, not_ready, initializing, unknown, degraded,
/// ready).
[[nodiscard]] Verdict verdict_of(const PortState& port);
/// The worse of two for a node.
[[nodiscard]] Verdict worse(Verdict a, Verdict b);
/// One sentence for the top of the report.
[[nodiscard]] std::string summary_of(const Report& report);

}  // namespace roceready::rules

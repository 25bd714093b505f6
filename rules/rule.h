// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rule file includes this header and nothing else of ours.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/counters/counter.h"
#include "rules/evidence.h"
#include "rules/few.h"
#include "rules/profile.h"
#include "rules/recipes.h"
#include "rules/report.h"

namespace roceready::rules {

/// What the operator should do.
enum class Action { Monitor, FixConfig, Replace, Isolate, Reset, Triage };
[[nodiscard]] const char* name_of(Action action);

/// How a rule can be judged (rules.md 1.1), as bits.
enum Judged : std::uint8_t { kStatic = 1, kRate = 2, kProbe = 4, kLldp = 8, kFabric = 16 };

/// What one call of the judge function is about.
enum class Scope { Node, Port, Member };

enum class Status { Active, Planned };

/// A limit that the user may change as rules.<id>.<name>.
struct Limit {
  const char* name = "";
  double value = 0;
  const char* unit = "";  ///< "share", "events/s", "bytes", "seconds", "count"
  double min = 0, max = 0;
  char evidence = 'D';  ///< V vendor, K kernel, P paper, T tool, S standard, D derived by us (rules.md 1.4)
  const char* help = "";
};

/// One readiness rule: text and judgement in one place. Constant; defined in one file under rules/, listed in
/// catalog.def.
struct Rule {
  const char* id = "";
  const char* since = "0.1";
  const char* family = "";  ///< link, pcie, host, roce, qos, pfc, ecn, transport, drop
  Action action = Action::Triage;
  Few<Severity, 3> severities{};   ///< levels that it can emit
  std::uint8_t judged = kStatic;   ///< bits of Judged
  std::uint8_t modes = kAllModes;  ///< bits of Mode; outside them: not applicable
  Scope scope = Scope::Member;
  /// Modes (bits) in which a port cannot be ready without this rule's outcome (rules.md 6.3).
  std::uint8_t mandatory = 0;
  /// Mandatory in all its modes where the profile says long-haul.
  bool mandatory_over_distance = false;
  /// Mandatory where the profile relies on link-level pause.
  bool mandatory_for_link_pause = false;
  const char* title = "";  ///< states the fault: "PFC is off on the RoCE priority"
  const char* what = "";   ///< what it reads and when it fires
  const char* why = "";    ///< impact
  const char* next = "";   ///< what to do, one sentence
  Few<const char*, 8> likely_causes{};
  Few<Recipe, 4> fix{};
  Few<const char*, 6> traps{};  ///< what it deliberately does not say
  Few<CounterId, 12> needs{};   ///< counters whose past it reads
  Few<Limit, 8> limits{};
  Few<const char*, 4> facts{};     ///< ids of docs/facts.md
  double hold_seconds = 0;         ///< a daemon reports the failure as info until it has lasted that long
  double hold_within_seconds = 0;  ///< the hold may be broken, and must add up within so long; 0: it may not
  bool on_demand = false;          ///< judges what a person has measured: named once, not asked, where nobody has
  bool weak = false;               ///< critical only together with a finding of another family (rules.md 7.7)
  Status status = Status::Active;
  void (*judge)(const Evidence& seen, Outcomes& out) = nullptr;
};

/// Whether a port cannot be ready without this rule's outcome. Without a profile (null): in some RoCE mode it cannot.
[[nodiscard]] bool is_mandatory(const Rule& rule, const Profile* profile);

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/history/history.h"
#include "rules/past.h"
#include "rules/profile.h"
#include "rules/profile_changes.h"
#include "rules/report.h"
#include "rules/rule.h"
#include "rules/waivers.h"

namespace roceready::rules {

/// All rules, sorted by id. Explicit list: rules/catalog.def.
[[nodiscard]] const std::vector<const Rule*>& catalogue();
[[nodiscard]] const Rule* rule_named(std::string_view id);
/// Union of what the rules read from the past, for History.
[[nodiscard]] std::vector<CounterId> needed_signals();
/// Limit of a rule by name; null where there is none.
[[nodiscard]] const Limit* limit_named(const Rule& rule, std::string_view name);

/// A profile that nobody stated: inferred once, and kept over restarts so that a fault never becomes the expectation.
struct KeptProfile {
  std::string name;
  std::int64_t since_wall_ns = 0;
  double confidence = 0.7;
  std::string why;
  std::map<std::string, std::string> overrides{};  ///< what was seen to differ from the profile of that name
  bool operator==(const KeptProfile&) const = default;
};

/// What the user decided.
struct JudgeOptions {
  std::string profile;              ///< "" when none is named
  ProfileChanges profile_changes;   ///< what the site says beside its name
  std::optional<KeptProfile> kept;  ///< of an earlier run; means nothing while a profile is named
  std::vector<Waiver> waivers;      ///< expired ones do not count, and the report says so
  std::vector<Attestation> attestations;
  std::map<std::string, double> limits;  ///< changed limits, "rules.<id>.<name>" → value
  bool one_shot = true;                  ///< holds, hold-down and `initializing` apply to a daemon only
  double initializing_seconds = 300;     ///< a daemon says `initializing` for that long (rules.md 6.3)
  double hold_down_seconds = 600;        ///< rules.md 1.5.9
  std::vector<std::string> rdma_units = {"slurmd", "kubelet", "containerd"};
  HostDemands demands;
  std::string source_kind = "live", source_detail;
};

/// Judges windows one after the other and remembers what it said (since when, holding down).
/// Threads: one caller at a time. Deterministic: same options and same sequence of windows, same reports.
class Engine {
 public:
  explicit Engine(JudgeOptions options);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  /// Judges by other options from now on and keeps what is remembered: a dead link does not get a new hold.
  void reconfigure(JudgeOptions options);
  /// What is known from earlier than the history; holds for the judgements from now on.
  void set_past(Past past);
  /// What was said, as bytes, for a process that goes on in the same boot; see Ledger.
  [[nodiscard]] std::string save() const;
  [[nodiscard]] bool recall(const std::string& text);
  void began_earlier(const std::string& key, const Instant& since, const Instant& now);
  /// Judges the newest snapshot of `history` (which must have one) against its past.
  [[nodiscard]] ReportPtr judge(const History& history);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Parts of the engine, pure, for the engine and for tests.

/// Scores a set of findings (rules.md 6.3): penalties whose points add up to 100 − score.
struct Score {
  double value = 100;
  std::vector<Penalty> penalties;
};
[[nodiscard]] Score score_of(const std::vector<const Finding*>& findings);

/// Folds symptoms under causes (rules.md 5): fills cause_of and symptom_of, returns the keys of the roots, first to fix
/// first. Never changes severities. `ages_known`: findings say since when they hold, as in a daemon.
[[nodiscard]] std::vector<std::string> fold_causes(std::vector<Finding>& findings, bool ages_known);

}  // namespace roceready::rules

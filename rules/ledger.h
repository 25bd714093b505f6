// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/snapshot/snapshot.h"
#include "rules/report.h"

namespace roceready::rules {

/// What was said before, so that a finding knows since when it holds, waits for its hold, and does not flap.
class Ledger {
 public:
  /// `one_shot`: no hold, no hold-down.
  Ledger(bool one_shot, double hold_down_seconds) : one_shot_(one_shot), hold_down_seconds_(hold_down_seconds) {}

  struct Failure {
    Finding finding;  ///< as the rule saw it now
    double hold_seconds = 0;
    double within_seconds = 0;  ///< see Rule::hold_within_seconds
  };
  /// A rule on a subject that could not be judged now: what was said of it stands.
  struct Blind {
    const Rule* rule = nullptr;
    Subject subject;
  };
  /// Takes one judgement; returns the findings to publish: active ones (also those that cannot be seen at present),
  /// held ones as info, and those that cleared, or shrank to info, less than the hold-down ago as recovering.
  [[nodiscard]] std::vector<Finding> settle(const std::vector<Failure>& failures, const std::vector<Blind>& blind,
                                            const Instant& now, const Snapshot& snapshot);
  void set_hold_down(double seconds) { hold_down_seconds_ = seconds; }

  /// JSON of what is remembered, for a process that goes on in the same boot, and back. Recall refuses the whole where
  /// anything makes no sense, and then nothing changes; an entry of a rule that this version does not know is left out.
  [[nodiscard]] std::string save() const;
  [[nodiscard]] bool recall(const std::string& text);
  /// A finding that lasted when an earlier process ended began then, not when this one saw it first. Its hold begins
  /// anew. Forgotten when it does not show within ten minutes of `now`.
  void began_earlier(const std::string& key, const Instant& since, const Instant& now) {
    earlier_[key] = {since, {now.monotonic_ns + 600'000'000'000, now.wall_ns + 600'000'000'000}};
  }

 private:
  using Spell = std::pair<Instant, Instant>;
  struct Entry {
    Finding last;          // newest that was published as warning or critical
    Instant first;         // when the present failure began
    Instant last_active;   // when it was last seen as warning or critical
    bool failing = false;  // in the judgement before
    bool grave = false;    // `last` and `last_active` hold something
    // Where a hold may be broken: when it failed, oldest first, and how far back that matters.
    std::vector<Spell> spells{};
    double within_seconds = 0;
  };
  Finding published(Entry& entry, const Failure& failure, const Instant& now);
  /// Whether the failure has lasted as long as it must. `began`: it was not there in the judgement before.
  [[nodiscard]] static bool lasted(Entry& entry, const Failure& failure, const Instant& now, bool began);
  static void end_spell(Entry& entry, const Instant& now);
  /// Whether a spell is left that counts for the hold.
  [[nodiscard]] static bool may_come_back(const Entry& entry, const Instant& now);
  /// Age and `since`, by the monotonic clock.
  void date(Finding& finding, const Entry& entry, const Instant& now) const;
  [[nodiscard]] bool in_hold_down(const Entry& entry, const Instant& now, bool still_fails) const;
  bool one_shot_;
  double hold_down_seconds_;
  std::map<std::string, Entry> entries_;
  struct Earlier {
    Instant since, until;
  };
  std::map<std::string, Earlier> earlier_;  // by key, until the finding is gone
};

}  // namespace roceready::rules

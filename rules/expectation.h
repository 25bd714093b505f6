// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/snapshot/snapshot.h"
#include "rules/engine.h"
#include "rules/open_choices.h"
#include "rules/profile_changes.h"
#include "rules/report.h"

namespace roceready::rules {

/// Which profile holds, and why: the one that the user named, else the one that was inferred once and kept.
class Expectation {
 public:
  explicit Expectation(const JudgeOptions& options);

  /// Infers where nobody stated a profile and nothing weightier was inferred before, once a state has stood for
  /// `settle_seconds`: at boot, settings arrive one after the other.
  void look(const Snapshot& now, const Instant& at, double settle_seconds);
  /// Follows the NICs in what the profile leaves to the site; for each snapshot that is judged, after look().
  void settle(const Snapshot& now);
  /// Takes over what was inferred before a change of the options.
  void inherit(const Expectation& before);

  /// The profile of a port; null where none is known.
  [[nodiscard]] const Profile* of(const RdmaPort& port) const;
  /// The profile of the node as a whole; null where none is known.
  [[nodiscard]] const Profile* of_node() const {
    return settled_ ? &*settled_ : effective_ ? &effective_->profile : nullptr;
  }
  /// Inferred: nobody ever set RoCE up here.
  [[nodiscard]] bool unconfigured() const;
  /// How sure an expectation is that nobody stated; nothing where one is stated, or none is known.
  [[nodiscard]] std::optional<double> guessed() const;
  /// For the report; `now` is what a stated profile is compared with.
  [[nodiscard]] ProfileUse use(const Snapshot& now) const;

 private:
  std::string named_;
  ProfileChanges changes_;
  void take(std::optional<KeptProfile> guess, bool here);

  std::optional<KeptProfile> guess_;
  bool inferred_here_ = false;  ///< by this process, not kept from an earlier one
  /// The state that is standing, and since when.
  std::optional<KeptProfile> candidate_;
  Instant candidate_since_;
  std::string why_not_;
  std::optional<EffectiveProfile> effective_;
  OpenChoices choices_;
  std::set<std::string> not_roce_yet_;  ///< keys of ports that speak iWARP, of NICs that could speak RoCE
  std::optional<Profile> settled_;      ///< `effective_` with choices that were seen
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "rules/evidence.h"
#include "rules/expectation.h"
#include "rules/ledger.h"
#include "rules/verdict.h"

namespace roceready::rules {

/// What a rule is asked about; the same for all rules of a port or member.
struct Target {
  Evidence::Context context{};  // all but the rule; its port is null for the node, its member for the node and the port
  CountedSide member_side{}, port_side{};
  Subject subject{};
};

/// Unknown, or not looked at.
struct Silence {
  const Rule* rule;
  Judgement judgement;
};

/// One round of judging: what each rule said of one snapshot and its past, and which failures that makes.
struct Round {
  const History& history;
  const Snapshot& now;
  std::vector<const PciFunction*> functions{};  // of each netdev
  std::deque<Target> targets{};                 // pointed to
  std::vector<RuleJudgement> said{};            // node rules, then port by port
  std::size_t of_node = 0;                      // the first so many of them
  std::vector<Silence> silences{};
  std::vector<Ledger::Failure> failures{};
  std::vector<Attested> attested{};
  std::map<const RdmaPort*, std::pair<std::size_t, std::size_t>> of_port{};  // range in `said`, ports in scope
};

/// Whoever asks: what holds for all questions of a round.
struct Terms {
  const JudgeOptions& options;
  const Expectation& expectation;
  const Past& past;
};

/// Asks every rule about everything that it is about. `now` is the newest snapshot of `history`.
[[nodiscard]] Round ask_all(const Terms& terms, const History& history, const Snapshot& now);

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/ledger.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "rules/rule.h"

namespace roceready::rules {
namespace {

/// Measured conditions and links come and go; a setting that was read as right is right, and says so at once. One that
/// is wrong still may be more or less grave by what is counted meanwhile, and that comes and goes.
bool holds_down(const Rule& rule, bool still_fails) {
  const bool by_counters = still_fails && !rule.needs.empty();
  return (rule.judged & (kRate | kProbe)) != 0 || std::string_view(rule.family) == "link" || by_counters;
}

bool subject_exists(const Subject& subject, const Snapshot& snapshot) {
  if (subject.device.empty()) return true;
  return std::any_of(snapshot.ports.begin(), snapshot.ports.end(), [&](const RdmaPort& port) {
    return port.device == subject.device && port.port == subject.port && port.in_scope;
  });
}

bool by_clock(const Instant& a, const Instant& b) {
  return a.monotonic_ns < b.monotonic_ns;
}

/// Whether what could not be judged on `blind` includes `subject`.
bool covers(const Subject& blind, const Subject& subject) {
  return blind.device == subject.device && blind.port == subject.port && blind.netdev == subject.netdev &&
         (!blind.priority || blind.priority == subject.priority) && (!blind.peer || blind.peer == subject.peer);
}

}  // namespace

bool Ledger::in_hold_down(const Entry& entry, const Instant& now, bool still_fails) const {
  return !one_shot_ && entry.grave && holds_down(*entry.last.rule, still_fails) &&
         seconds_between(entry.last_active, now) < hold_down_seconds_;
}

bool Ledger::lasted(Entry& entry, const Failure& failure, const Instant& now, bool began) {
  if (failure.within_seconds <= 0) return seconds_between(entry.first, now) >= failure.hold_seconds;
  constexpr double kNearly = 0.9;  // the newest read shows, and has not lasted yet
  entry.within_seconds = failure.within_seconds;
  // Over a restart the spells are not kept, but when the finding began is.
  if (began || entry.spells.empty()) entry.spells.emplace_back(entry.first, now);
  entry.spells.back().second = now;
  std::erase_if(entry.spells,
                [&](const Spell& spell) { return seconds_between(spell.second, now) > failure.within_seconds; });
  entry.first = entry.spells.front().first;
  double sum = 0;
  for (const auto& [from, to] : entry.spells)
    sum += std::min(seconds_between(from, now), failure.within_seconds) - seconds_between(to, now);
  return sum >= kNearly * failure.hold_seconds;
}

void Ledger::end_spell(Entry& entry, const Instant& now) {
  if (entry.failing && !entry.spells.empty()) entry.spells.back().second = now;
  entry.failing = false;
}

bool Ledger::may_come_back(const Entry& entry, const Instant& now) {
  return std::any_of(entry.spells.begin(), entry.spells.end(),
                     [&](const Spell& spell) { return seconds_between(spell.second, now) <= entry.within_seconds; });
}

Finding Ledger::published(Entry& entry, const Failure& failure, const Instant& now) {
  Finding finding = failure.finding;
  const bool began = !entry.failing;
  if (began) entry.first = now;
  entry.failing = true;
  const bool held = !one_shot_ && !lasted(entry, failure, now, began);
  if (held) {
    finding.severity = Severity::Info;
    finding.seen += " It counts once it has lasted " + duration_text(failure.hold_seconds);
    if (failure.within_seconds > 0) finding.seen += " of " + duration_text(failure.within_seconds);
    finding.seen += ".";
  }
  if (finding.severity != Severity::Info) {
    entry.grave = true;
    entry.last_active = now;
    entry.last = finding;
  } else if (in_hold_down(entry, now, true)) {
    // Less grave than it was, which is no all-clear yet.
    finding.severity = entry.last.severity;
    finding.confidence = entry.last.confidence;
    finding.fix = entry.last.fix;
    finding.state = FindingState::Recovering;
  }
  date(finding, entry, now);
  return finding;
}

void Ledger::date(Finding& finding, const Entry& entry, const Instant& now) const {
  const auto earlier = earlier_.find(finding.key);
  const bool lasted = earlier != earlier_.end() && finding.severity != Severity::Info;
  finding.age_seconds =
      seconds_between(lasted ? std::min(earlier->second.since, entry.first, by_clock) : entry.first, now);
  finding.since_wall_ns = now.wall_ns - static_cast<std::int64_t>(finding.age_seconds * 1e9);
}

std::vector<Finding> Ledger::settle(const std::vector<Failure>& failures, const std::vector<Blind>& blind,
                                    const Instant& now, const Snapshot& snapshot) {
  std::vector<Finding> out;
  std::set<std::string> failing;
  for (const Failure& failure : failures) {
    failing.insert(failure.finding.key);
    out.push_back(published(entries_[failure.finding.key], failure, now));
  }
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    Entry& state = entry->second;
    if (failing.contains(entry->first)) {
      ++entry;
      continue;
    }
    if (!one_shot_ && !state.grave && may_come_back(state, now)) {
      end_spell(state, now);
      ++entry;
      continue;
    }
    const bool gone = !state.grave || !subject_exists(state.last.subject, snapshot);
    const bool unseen = !gone && !one_shot_ && std::any_of(blind.begin(), blind.end(), [&](const Blind& one) {
      return one.rule == state.last.rule && covers(one.subject, state.last.subject);
    });
    const bool stands = unseen && state.failing && seconds_between(state.last_active, now) < hold_down_seconds_;
    if (gone || (!stands && !in_hold_down(state, now, false))) {
      earlier_.erase(entry->first);
      entry = entries_.erase(entry);
      continue;
    }
    Finding finding = state.last;
    date(finding, state, now);
    if (stands) {
      finding.seen += " At present this cannot be read, so it is taken to last.";
    } else {
      finding.state = FindingState::Recovering;
      end_spell(state, now);
    }
    out.push_back(std::move(finding));
    ++entry;
  }
  std::erase_if(earlier_,
                [&](const auto& each) { return !entries_.contains(each.first) && by_clock(each.second.until, now); });
  return out;
}

}  // namespace roceready::rules

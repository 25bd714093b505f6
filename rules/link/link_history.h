// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/rule.h"
#include "rules/wording.h"

namespace roceready::rules {

/// Link and driver events explain what the line and the PCIe bus count for so long (rules.md 1.5.8).
inline constexpr double kGraceAfterEventSeconds = 120;

/// An event after which a link trains or a driver begins anew.
[[nodiscard]] inline bool begins_anew(HistoryEvent::Kind kind) {
  using Kind = HistoryEvent::Kind;
  return kind == Kind::AdminDown || kind == Kind::AdminUp || kind == Kind::Appeared || kind == Kind::Vanished ||
         kind == Kind::CountersReset;
}

/// True when in the last `seconds` the member was set up or down by hand, its driver was reloaded or its counters
/// reset.
[[nodiscard]] inline bool was_touched(const Evidence& seen, double seconds) {
  const auto& events = seen.history().events();
  return std::any_of(events.begin(), events.end(), [&](const HistoryEvent& event) {
    return begins_anew(event.kind) && event.owner == seen.member().link.name &&
           seconds_between(event.at, midpoint(seen.now())) <= seconds;
  });
}

/// Growth in the window of `seconds` that ended `ago` seconds before now.
using GrowthOf = std::function<Reading<Increase>(double seconds, double ago)>;

/// Which events explain growth.
enum class Explained {
  ByAnyEvent,  ///< a link that trains after a loss too: for errors, of which bursts are normal then
  ByHand,      ///< admin changes, driver reloads and resets alone: for losses of carrier themselves
  ByProbing,   ///< the driver set the device up: for what enumeration makes
};

[[nodiscard]] inline bool explains(HistoryEvent::Kind kind, Explained by) {
  using Kind = HistoryEvent::Kind;
  switch (by) {
    case Explained::ByAnyEvent:
      return begins_anew(kind) || kind == Kind::LinkUp || kind == Kind::LinkDown;
    case Explained::ByHand:
      return begins_anew(kind);
    case Explained::ByProbing:
      return kind == Kind::Appeared || kind == Kind::AdminUp;
  }
  return false;
}

/// Severity of a rate over a window of `wanted` seconds: Info while less than nine tenths of it were observed, or all
/// but one read's `period` (s), and the sentence says so.
[[nodiscard]] inline Severity unless_early(double observed, double wanted, double period, Severity severity,
                                           std::string& sentence) {
  constexpr double kComplete = 0.9, kLeast = 0.2;
  const double enough = std::max(kLeast * wanted, std::min(kComplete * wanted, wanted - 1.05 * period));
  if (observed >= enough || severity == Severity::Info) return severity;
  sentence += " That is not sustained yet: it takes " + duration_text(wanted) + ".";
  return Severity::Info;
}

/// Growth as `growth` says, less what was counted from an event of the member until the grace was over.
[[nodiscard]] inline Reading<Increase> outside_grace(const Evidence& seen, const GrowthOf& growth, double seconds,
                                                     double ago = 0, Explained by = Explained::ByAnyEvent) {
  Reading<Increase> total = growth(seconds, ago);
  if (!total || total->amount < 0.5) return total;
  constexpr double kJustBefore = 2;              // the sample that saw the event counted what led to it
  std::vector<std::pair<double, double>> spans;  // seconds before now: end, begin
  for (const HistoryEvent& event : seen.history().events()) {
    if (!explains(event.kind, by) || event.owner != seen.member().link.name) continue;
    const double since = seconds_between(event.at, midpoint(seen.now()));
    const double begin = std::min(since + kJustBefore, ago + seconds);
    const double end = std::max(since - kGraceAfterEventSeconds, ago);
    if (begin > end) spans.emplace_back(end, begin);
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t k = 0; k < spans.size();) {
    // Spans that touch are taken off as one: history counts a slot in which a window ends as a whole.
    const double end = spans[k].first;
    double begin = spans[k].second;
    for (++k; k < spans.size() && spans[k].first <= begin; ++k) begin = std::max(begin, spans[k].second);
    const Reading<Increase> explained = growth(begin - end, end);
    if (explained) total->amount -= explained->amount;
  }
  total->amount = std::max(0.0, std::round(total->amount));
  return total;
}

/// Other netdevs of the node that lost their carrier within five seconds of `down`: a switch that restarts takes all
/// its links along.
[[nodiscard]] inline std::size_t lost_together(const Evidence& seen, const HistoryEvent& down) {
  constexpr double kTogether = 5;
  std::set<std::string> others;
  for (const HistoryEvent& event : seen.history().events())
    if (event.kind == HistoryEvent::Kind::LinkDown && event.owner != down.owner &&
        std::abs(seconds_between(event.at, down.at)) <= kTogether)
      others.insert(event.owner);
  return others.size();
}

}  // namespace roceready::rules

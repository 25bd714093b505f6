// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/event_share.h"
#include "rules/pause_share.h"
#include "rules/stated_profile.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kNeededSeconds = 180;  // three windows

/// Whether the priority had something to send in the minute that ended `ago` seconds before now: it sent, or RDMA
/// waited in vain for an answer. True where that cannot be known.
bool had_demand(const Evidence& seen, std::uint8_t priority, double ago) {
  const CounterId traffic = shown_of(seen, {CounterId::TxBytesPriority, CounterId::TxPacketsPriority});
  const Reading<Increase> sent = seen.increase(traffic, kMinute, priority, ago);
  if (!sent || sent->amount > 0) return true;
  const Reading<Increase> waited = seen.increase(CounterId::LocalAckTimeout, kMinute, kNoLane, ago);
  return waited ? waited->amount > 0 : !seen.never_shown(CounterId::LocalAckTimeout);
}

/// The same minutes, with no pause in those in which it held up nothing.
PauseTime held_up(const Evidence& seen, PauseTime time, std::uint8_t priority) {
  if (time.windows.latest.amount > 0 && !had_demand(seen, priority, 0)) time.windows.latest.amount = 0;
  for (std::size_t k = 0; k < time.windows.complete.size(); ++k)
    if (time.windows.complete[k].amount > 0 && !had_demand(seen, priority, time.windows.ago[k]))
      time.windows.complete[k].amount = 0;
  return time;
}

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  constexpr CounterId kDuration = CounterId::PfcRxPauseDuration, kFrames = CounterId::PfcRxPauseFrames;
  const bool frames_alone = seen.never_shown(kDuration) && !seen.never_shown(kFrames);
  const Reading<PauseTime> time = pause_time(seen, kDuration, kFrames, priority);
  const Reading<Windows> windows = time ? Reading<Windows>(time->windows) : Reading<Windows>(time.absent());
  if (!readable(seen, out, frames_alone ? kFrames : kDuration, windows, priority)) return;

  const double warn = limit_or_profile(seen, "warn", seen.profile()->pause_warn);
  const auto level_in = [&](const PauseTime& of) {
    return level_of(of, std::min(seen.limit("info"), warn), warn, std::max(seen.limit("crit"), warn));
  };
  PauseTime busy = held_up(seen, *time, priority);
  const std::optional<PauseLevel> level = level_in(busy);
  if (!level && !level_in(*time)) return quiet(seen, out, kNeededSeconds, priority);
  if (!level)
    return out.not_looked_at("longer_window",
                             "priority " + std::to_string(priority) +
                                 " was paused but had nothing to send, so the pause held up nothing that was seen",
                             "a window with traffic", priority);

  busy.windows.latest = time->windows.latest;  // what is said of the last minute is what was measured
  const Reading<Increase> sent = seen.increase(CounterId::TxBytesPriority, kMinute, priority);
  std::string sentence =
      "Priority " + std::to_string(priority) + " was paused by the peer " + pause_words(busy, *level);
  if (level->sustained)
    sentence += ".";
  else if (level->limit < warn)
    sentence += "; from " + percent(warn) + " of three minutes in five it is a warning.";
  else
    sentence += "; that is not sustained yet.";
  if (time->at_most) sentence += " The driver counts pause frames alone, so this is an upper bound.";
  const Increase& latest = time->windows.latest;
  Judgement& entry = out.fail(
      severity_of(*time, *level), sentence,
      {seen.item("share of time that priority " + std::to_string(priority) + " was paused (received)", share_of(latest),
                 "share", ">=", level->limit, seen.source_of(frames_alone ? kFrames : kDuration))},
      priority);
  entry.confidence = time->at_most ? 0.4 : 1.0;
  entry.derived_threshold = true;
  if (sent)
    entry.evidence.push_back(seen.item("sent on priority " + std::to_string(priority), sent->per_second(), "bytes/s",
                                       seen.source_of(CounterId::TxBytesPriority)));
}

void judge(const Evidence& seen, Outcomes& out) {
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kPfcRxPauseHigh;
constinit const Rule kPfcRxPauseHigh{
    .id = "pfc-rx-pause-high",
    .family = "pfc",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "The fabric stops this port's lossless traffic a lot",
    .what =
        "Measures for which share of the time the peer paused each lossless priority, in minutes in which it had "
        "something to send. Info from 0.1 %; warning from "
        "the "
        "profile's share (1 %) and critical from 20 %, when reached in three of the last five minutes.",
    .why = "This port cannot send meanwhile, and innocent flows of the same class wait with it.",
    .next =
        "Look for the receiver behind it: the node whose pfc-tx-pause-high fires; else congestion at a switch, and "
        "whether "
        "ECN marks there.",
    .likely_causes = {"several senders to one receiver", "a slow receiver elsewhere",
                      "ECN does not mark before pause acts", "oversubscribed fabric"},
    .fix = {Recipe::Ecn, Recipe::Switch},
    .traps =
        {"Pause is the design working: a share alone is no fault of this port. It is the one that is stopped.",
         "PFC-only designs and storage see pause routinely; their profile allows more.",
         "A minute in which the priority sent nothing and RDMA waited for no answer does not count: there was nothing "
         "to hold up.",
         "Drivers that count frames alone (Intel) give an upper bound: at most a warning of low confidence."},
    .needs = {CounterId::PfcRxPauseDuration, CounterId::PfcRxPauseFrames, CounterId::TxBytesPriority,
              CounterId::TxPacketsPriority, CounterId::LocalAckTimeout},
    .limits = {Limit{.name = "info",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time paused that is worth mentioning"},
               Limit{.name = "warn",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time paused that is a warning; the profile's holds while this is not changed"},
               Limit{.name = "crit",
                     .value = 0.2,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time paused that is critical"}},
    .facts = {"ieee-802.1qbb", "mlx5-ethtool-counters", "pause-direction"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/event_share.h"
#include "rules/pause_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr int kReach = 300;   // seconds back in which the end of a pause is looked for
constexpr double kAfter = 2;  // seconds in which its consequence shows

/// A pause of seconds that ended, and the loss that was reported right after it.
struct Episode {
  double ago = 0, paused_seconds = 0, lost = 0;
};

double grew(const Evidence& seen, CounterId id, double seconds, double ago, std::uint8_t lane = kNoLane) {
  const Reading<Increase> growth = seen.increase(id, seconds, lane, std::max(0.0, ago));
  return growth ? growth->amount : 0;
}

/// Sequence NAKs and timeouts within two seconds after the moment `ago` seconds before now.
double lost_after(const Evidence& seen, double ago) {
  double out = 0;
  for (const CounterId id : {CounterId::PacketSeqErr, CounterId::ImpliedNak, CounterId::LocalAckTimeout})
    out += grew(seen, id, kAfter, ago - kAfter);
  return out;
}

bool paused_throughout(const Evidence& seen, std::uint8_t priority, int ago) {
  const Reading<Increase> second = seen.increase(CounterId::PfcRxPauseDuration, 1, priority, ago);
  return second && second->seconds > 0 && share_of(*second) >= seen.limit("storm_share");
}

std::optional<Episode> find(const Evidence& seen, std::uint8_t priority) {
  int paused = 0;  // seconds in a row, looking back
  for (int ago = kReach; ago >= 1; --ago) {
    if (paused_throughout(seen, priority, ago)) {
      ++paused;
      continue;
    }
    const bool ended = paused >= seen.limit("storm_s");
    const double lost = ended ? lost_after(seen, ago + 1) : 0;
    if (ended && lost >= seen.limit("events"))
      return Episode{static_cast<double>(ago), static_cast<double>(paused), lost};
    paused = 0;
  }
  return std::nullopt;
}

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  constexpr CounterId kPaused = CounterId::PfcRxPauseDuration;
  const Reading<Windows> paused = seen.windows(kPaused, kReach, 1, priority);
  if (!readable(seen, out, kPaused, paused, priority)) return;
  const Reading<Windows> naks = seen.windows(CounterId::PacketSeqErr, kReach, 1);
  if (!readable(seen, out, CounterId::PacketSeqErr, naks)) return;
  std::optional<Episode> episode;
  const bool possible = paused->latest.amount >= seen.limit("storm_s") * seen.limit("storm_share");
  if (possible) episode = find(seen, priority);
  const double here = episode ? grew(seen, CounterId::RxDiscardsPhy, 2 * kAfter, episode->ago - kAfter) +
                                    grew(seen, CounterId::TxDiscardsPhy, 2 * kAfter, episode->ago - kAfter)
                              : 0;
  const auto also = {CounterId::ImpliedNak, CounterId::LocalAckTimeout, CounterId::RxDiscardsPhy,
                     CounterId::TxDiscardsPhy};
  if (!episode || here > 0) {
    if (nothing_hidden(seen, out, also, priority)) quiet(seen, out, kMinute, priority);
    return;
  }
  // Whether this NIC dropped must be known before a switch is suspected.
  if (!nothing_hidden(seen, out, {CounterId::RxDiscardsPhy, CounterId::TxDiscardsPhy}, priority)) return;
  out.fail(Severity::Warning,
           "Priority " + std::to_string(priority) + " of " + netdev_name(seen) + " was paused without a gap for " +
               counted(episode->paused_seconds, "second") + "; the pause ended " + duration_text(episode->ago) +
               " ago, and " + counted(episode->lost, "packet") +
               " were reported missing right after, with no drop on "
               "this NIC: the switch's watchdog may have emptied the queue.",
           {seen.item("sequence NAKs and timeouts right after the pause", episode->lost, "events",
                      ">=", seen.limit("events"), seen.source_of(CounterId::PacketSeqErr)),
            seen.item("pause before", episode->paused_seconds, "seconds", ">=", seen.limit("storm_s"),
                      seen.source_of(kPaused))},
           priority)
      .confidence = 0.4;
}

void judge(const Evidence& seen, Outcomes& out) {
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kDropSwitchWatchdogSuspected;
constinit const Rule kDropSwitchWatchdogSuspected{
    .id = "drop-switch-watchdog-suspected",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kRate | kFabric,
    .modes = kLossless,
    .scope = Scope::Member,
    .title = "A switch's PFC watchdog probably dropped packets",
    .what =
        "Looks for a pause without a gap that ended in the last five minutes, with sequence NAKs or timeouts within "
        "two seconds after it and no drop on this NIC. Warning of confidence 0.4.",
    .why =
        "A watchdog that fires empties the queue of this port: everything in flight is lost, on purpose, to free the "
        "fabric.",
    .next = "Ask the switch: show pfcwd stats (SONiC), or its log; then find the NIC that paused without end.",
    .likely_causes = {"a slow receiver held the switch's queue longer than its watchdog waits",
                      "the watchdog's times are too short", "pause storm elsewhere"},
    .fix = {Recipe::Switch},
    .traps = {"A host cannot see what a switch drops: the order of events is all there is, hence the low confidence.",
              "Drops at the peers look the same from here."},
    .needs = {CounterId::PfcRxPauseDuration, CounterId::PacketSeqErr, CounterId::ImpliedNak, CounterId::LocalAckTimeout,
              CounterId::RxDiscardsPhy, CounterId::TxDiscardsPhy},
    .limits = {Limit{.name = "storm_share",
                     .value = 0.99,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'T',
                     .help = "share of a second that was paused, to belong to the storm"},
               Limit{.name = "storm_s",
                     .value = 2,
                     .unit = "seconds",
                     .min = 1,
                     .max = 60,
                     .evidence = 'D',
                     .help = "how long the pause must have lasted"},
               Limit{.name = "events",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "sequence NAKs and timeouts right after it"}},
    .facts = {"sonic-storm-detector", "sonic-watchdog-drops"},
    .judge = judge,
};

}  // namespace roceready::rules

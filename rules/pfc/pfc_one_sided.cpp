// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/pause_share.h"
#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60, kNeededSeconds = 180;

/// Lane of the drop counter that speaks for a priority: on mlx5 its receive buffer.
std::uint8_t drop_lane(const Evidence& seen, std::uint8_t priority) {
  const Reading<BufferFacts>& buffers = seen.member().dcb.buffers;
  return buffers ? static_cast<std::uint8_t>(buffers->priority_to_buffer[priority] % kPriorities) : priority;
}

/// Whether what that lane drops can only be of lossless priorities.
bool is_dedicated(const Evidence& seen, std::uint8_t priority) {
  const Reading<BufferFacts>& buffers = seen.member().dcb.buffers;
  if (!buffers) return false;
  const std::uint32_t lossless = seen.profile()->pfc_priorities;
  return ((sharing(buffers->priority_to_buffer, priority) | 1U << priority) & ~lossless) == 0;
}

/// Received more than a peer that obeys could have sent: the time not paused, at line rate, and a margin.
bool unmoved(const Evidence& seen, std::uint8_t priority, double speed, double ago) {
  const auto paused = seen.growth(CounterId::PfcTxPauseDuration, kMinute, priority, ago);
  const auto received = seen.growth(CounterId::RxBytesPriority, kMinute, priority, ago);
  if (!paused || !received || received->seconds <= 0 || speed <= 0) return false;
  const double share = share_of(*paused);
  return share >= seen.limit("pause_share") && received->per_second() * 8 / speed >= 1 - share + seen.limit("margin");
}

/// What hides whether the switch goes on sending; nothing where it could be seen, or never can.
std::optional<Absent> gap_of(const Evidence& seen, std::uint8_t priority) {
  for (const CounterId id : {CounterId::PfcTxPauseDuration, CounterId::RxBytesPriority}) {
    if (seen.never_shown(id)) return {};
    const Reading<double> value = seen.counter(id, priority);
    if (!value) return value.absent();
  }
  const Reading<std::uint64_t> speed = seen.link_speed();
  return speed ? std::nullopt : std::optional(speed.absent());
}

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  constexpr CounterId kFrames = CounterId::PfcTxPauseFrames, kDrops = CounterId::RxDiscardsPriority;
  const Reading<Windows> sent = seen.windows(kFrames, kMinute, 5, priority);
  if (!readable(seen, out, kFrames, sent, priority)) return;
  const bool by_priority = !seen.never_shown(kDrops), dedicated = by_priority && is_dedicated(seen, priority);
  const CounterId drops = by_priority ? kDrops : CounterId::RxDiscardsPhy;
  const std::uint8_t lane = by_priority ? drop_lane(seen, priority) : kNoLane;
  const Reading<Windows> dropped = seen.windows(drops, kMinute, 1, lane);
  if (!readable(seen, out, drops, dropped, priority)) return;

  const Held losing = held_together(*sent, [&](const Increase& window, double ago) {
    if (window.amount < 1) return false;
    const auto lost = seen.growth(drops, kMinute, lane, ago);
    return lost && lost->amount >= 1;
  });
  const double speed = static_cast<double>(seen.link_speed().value_or(0));
  const Held ignored = held_together(*sent, [&](const Increase& window, double ago) {
    return window.amount >= 1 && unmoved(seen, priority, speed, ago);
  });
  if (losing == Held::Never && ignored == Held::Never) {
    if (const auto gap = gap_of(seen, priority)) return out.unknown(*gap, priority);
    return quiet(seen, out, kNeededSeconds, priority);
  }

  const std::string own = "priority " + std::to_string(priority);
  std::string sentence = netdev_name(seen) + " sent " + counted(sent->latest.amount, "pause frame") + " for " + own +
                         " in the last minute, and the switch goes on sending:";
  std::vector<EvidenceItem> evidence{
      seen.item("pause frames sent for " + own, sent->latest.amount, "frames", ">", 0, seen.source_of(kFrames))};
  if (losing != Held::Never) {
    sentence += " " + counted(dropped->latest.amount, "packet") + " dropped " +
                (dedicated     ? "in its receive buffer"
                 : by_priority ? "in a receive buffer that may serve lossy classes too"
                               : "by the port, perhaps of another class");
    const bool elsewhere = by_priority && lane != priority;
    evidence.push_back(
        seen.item("packets dropped meanwhile" + (elsewhere ? " in receive buffer " + std::to_string(lane) : ""),
                  dropped->latest.amount, "packets", ">", 0, seen.source_of(drops)));
  }
  if (ignored != Held::Never) {
    const double rate = seen.increase(CounterId::RxBytesPriority, kMinute, priority)->per_second() * 8;
    sentence += std::string(losing != Held::Never ? "," : "") + " " + bit_rate(rate) +
                " received, more than fits between the pauses";
    evidence.push_back(seen.item("received on " + own, rate, "bits/s", seen.source_of(CounterId::RxBytesPriority)));
  }
  sentence += ".";
  const Held worst = losing == Held::Sustained || ignored == Held::Sustained ? Held::Sustained : Held::Once;
  const Severity severity = severity_of(worst, Severity::Critical, sentence);
  Judgement& entry = out.fail(severity, sentence, std::move(evidence), priority);
  entry.confidence = std::max(losing == worst ? (dedicated ? 1.0 : 0.4) : 0.0, ignored == worst ? 0.7 : 0.0);
  entry.derived_threshold = true;
}

void judge(const Evidence& seen, Outcomes& out) {
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kPfcOneSided;
constinit const Rule kPfcOneSided{
    .id = "pfc-one-sided",
    .since = "0.3",
    .family = "pfc",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Info},
    .judged = kRate | kLldp,
    .modes = kLossless,
    .scope = Scope::Member,
    .title = "The switch does not obey this port's pause",
    .what =
        "Fires when this port sends pause for a lossless priority and meanwhile its receive buffer drops, or receives "
        "more than fits between the pauses, in three of the last five minutes.",
    .why = "The class looks lossless on the host and is not: packets are lost under load.",
    .next = "Check that the switch port has PFC on for this priority in both directions, then the NIC's headroom.",
    .likely_causes = {"PFC is off on the switch port", "the switch has another class lossless", "headroom too small"},
    .fix = {Recipe::Switch, Recipe::Buffers},
    .traps = {"Drops of the whole port can be lossy TCP: low confidence where the NIC does not count them by priority, "
              "or where the receive buffer is shared with lossy priorities or not known.",
              "A few packets on their way when the pause is sent belong into the headroom: see qos-headroom-small.",
              "What the switch says of itself (LLDP) is not among the evidence."},
    .needs = {CounterId::PfcTxPauseFrames, CounterId::PfcTxPauseDuration, CounterId::RxDiscardsPriority,
              CounterId::RxDiscardsPhy, CounterId::RxBytesPriority},
    .limits = {Limit{.name = "pause_share",
                     .value = 0.1,
                     .unit = "share",
                     .min = 0.001,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time that we pause from which the received rate must fall"},
               Limit{.name = "margin",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the line rate that may come in beyond the time not paused"}},
    .facts = {"ieee-802.1qbb", "pause-direction", "mlx5-discards-per-buffer"},
    .judge = judge,
};

}  // namespace roceready::rules

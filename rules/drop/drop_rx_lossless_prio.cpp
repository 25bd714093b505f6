// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/occasions.h"
#include "rules/pause_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 300, kNeededSeconds = 60;

/// What a drop counter says about a lossless priority.
struct Meaning {
  std::string what;       ///< "receive buffer 1, which serves priority 3"
  bool lossless = false;  ///< nothing but lossless traffic can have been dropped
  std::string doubt = "Whether lossless packets were among them cannot be told.";  ///< where it can
  bool whole_port = false;                                                         ///< any packet can be among them
};

/// On mlx5 the counters of "priorities" count receive buffers.
struct Place {
  std::uint8_t lane = 0;
  Meaning meaning;
};
Place place_of(const Evidence& seen, std::uint8_t priority) {
  const Reading<BufferFacts>& buffers = seen.member().dcb.buffers;
  const std::string own = "priority " + std::to_string(priority);
  if (!buffers)
    return {priority,
            {"what the driver calls " + own + " (or receive buffer " + std::to_string(priority) + ")", false}};
  const std::uint32_t buffer = buffers->priority_to_buffer[priority];
  std::uint32_t sharing = 0;
  for (std::uint32_t other = 0; other < kPriorities; ++other)
    if (buffers->priority_to_buffer[other] == buffer) sharing |= 1U << other;
  const std::uint32_t lossy = sharing & ~static_cast<std::uint32_t>(seen.profile()->pfc_priorities);
  Meaning meaning{"receive buffer " + std::to_string(buffer) + " of " + own, lossy == 0};
  if (lossy != 0) meaning.what += ", which it shares with lossy " + priorities_text(lossy);
  return {static_cast<std::uint8_t>(buffer), meaning};
}

bool serves_anybody(const Evidence& seen, std::uint32_t buffer) {
  const auto& map = seen.member().dcb.buffers->priority_to_buffer;
  return std::find(map.begin(), map.end(), buffer) != map.end();
}

/// Judges one drop counter.
void judge_drops(const Evidence& seen, Outcomes& out, CounterId id, std::uint8_t lane, const Meaning& meaning,
                 std::optional<std::uint8_t> priority) {
  const Reading<Increase> dropped = seen.increase(id, kWindowSeconds, lane);
  if (!dropped) {
    readable(seen, out, id, dropped.absent(), priority);
    return;
  }
  if (dropped->amount < 1) return quiet(seen, out, kNeededSeconds, priority);

  const std::size_t times = occasions(seen, id, static_cast<int>(kWindowSeconds), lane);
  const bool repeated = static_cast<double>(times) >= seen.limit("crit_windows");
  std::string sentence = netdev_name(seen) + " dropped " + counted(dropped->amount, "packet") + " in the last " +
                         duration_text(dropped->seconds) + " in " + meaning.what +
                         (!meaning.whole_port ? ", although PFC is to prevent that." : ".");
  if (repeated)
    sentence += " That happened " + counted(static_cast<double>(times), "time") +
                " in the last five minutes, at least a minute apart.";
  if (!meaning.lossless) sentence += " " + meaning.doubt;
  const bool critical = repeated && meaning.lossless;
  const bool elsewhere = priority && lane != kNoLane && lane != *priority;
  const std::string where = elsewhere ? " in receive buffer " + std::to_string(lane) : "";
  // Any packet may be among those of the whole port: one lossy drop says nothing of RoCE.
  const Severity once = meaning.whole_port ? Severity::Info : Severity::Warning;
  Judgement& entry = out.fail(
      critical   ? Severity::Critical
      : repeated ? Severity::Warning
                 : once,
      sentence,
      {seen.item("packets dropped on receive" + where, dropped->amount, "packets", ">=", 1, seen.source_of(id))},
      priority);
  entry.confidence = meaning.lossless ? 1.0 : 0.4;
  entry.derived_threshold = critical && seen.limit_is_derived("crit_windows");
}

/// Drops of the whole port, on NICs that count no others: once, for all lossless priorities.
void judge_port(const Evidence& seen, Outcomes& out) {
  bool any = false;
  each_lossless(seen, out, [&](std::uint8_t) { any = true; });
  if (!any) return;
  judge_drops(seen, out, CounterId::RxDiscardsPhy, kNoLane,
              {"the receive buffer of the whole port", false,
               "They may be of a lossy class: drops by priority were not seen.", true},
              {});
}

/// The number under which drops of RoCE's priority are counted.
std::uint8_t lane_of_roce(const Evidence& seen) {
  const std::uint8_t priority = seen.profile()->roce_priority % kPriorities;
  const Reading<BufferFacts>& buffers = seen.member().dcb.buffers;
  return buffers ? static_cast<std::uint8_t>(buffers->priority_to_buffer[priority]) : priority;
}

/// Whether drops of the whole port are all there is: those of the priority are gone, or nobody sent them although PFC
/// is known to be on.
bool port_may_speak(const Evidence& seen, std::uint8_t lane) {
  const Why why = seen.counter(CounterId::RxDiscardsPriority, lane).absent().why;
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  return why == Why::NotPresent || (why == Why::NotRecorded && pfc && pfc->on(seen.profile()->roce_priority));
}

void judge(const Evidence& seen, Outcomes& out) {
  // Where the RDMA side counts its own drops, they are RoCE's whatever the buffer.
  if (seen.never_shown(CounterId::RxDiscardsPriority)) {
    if (seen.never_shown(CounterId::RxRoceDiscards)) return judge_port(seen, out);
    return judge_drops(seen, out, CounterId::RxRoceDiscards, kNoLane, {"its RoCE engine", true, ""}, {});
  }
  // Where its counters by priority are gone, drops of the whole port still speak; that there are none clears nothing.
  constexpr CounterId kByPriority = CounterId::RxDiscardsPriority;
  const auto of_port = seen.growth(CounterId::RxDiscardsPhy, kWindowSeconds);
  if (const std::uint8_t lane = lane_of_roce(seen);
      of_port && of_port->amount >= 1 && !seen.is_shown(kByPriority, lane) && port_may_speak(seen, lane))
    return judge_port(seen, out);
  each_lossless(seen, out, [&](std::uint8_t priority) {
    Place place = place_of(seen, priority);
    // Kernel sources disagree on what the counter's number means. Growth under a number whose buffer serves nobody can
    // only be meant as a priority.
    const auto grew = [&](std::uint8_t lane) {
      const Reading<Increase> growth = seen.increase(CounterId::RxDiscardsPriority, kWindowSeconds, lane);
      return growth && growth->amount >= 1;
    };
    if (place.lane != priority && !serves_anybody(seen, priority) && !grew(place.lane) && grew(priority)) {
      place = {priority, {"what the driver calls priority " + std::to_string(priority), false}};
    }
    judge_drops(seen, out, CounterId::RxDiscardsPriority, place.lane, place.meaning, priority);
  });
}

}  // namespace

extern const Rule kDropRxLosslessPrio;
constinit const Rule kDropRxLosslessPrio{
    .id = "drop-rx-lossless-prio",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "NIC drops lossless packets although PFC is on",
    .what =
        "Reads drops of the receive buffer that serves each lossless priority (mlx5), of the RoCE engine "
        "(Broadcom), or of the whole port where the NIC counts no others. "
        "Warning at the first drop, critical when there were some twice in five minutes, at least a minute apart, and "
        "the buffer is a lossless one; of the whole port info at first and then a warning.",
    .why = "The lossless class is lossy, and RoCE resends a whole window for each packet.",
    .next =
        "Check that the switch honours pause on this priority, then the buffer's size against cable length and MTU, "
        "then "
        "PCIe.",
    .likely_causes = {"buffer or cable length set too small", "the switch ignores our pause",
                      "priority mapped to a wrong buffer", "PCIe stall", "the NIC's stall watchdog switched pause off"},
    .fix = {Recipe::Buffers, Recipe::Switch, Recipe::Pcie},
    .traps = {"mlx5's rx_prioN_discards counts receive buffers: the priority is found by the buffer map.",
              "A buffer that lossy priorities share says nothing certain about RoCE: warning of low confidence.",
              "Drops of the whole port can be lossy TCP: they are read only where the NIC counts none by priority, and "
              "are info until they repeat, and a warning of low confidence then.",
              "Where PFC is off on the priority, pfc-disabled speaks."},
    .needs = {CounterId::RxDiscardsPriority, CounterId::RxRoceDiscards, CounterId::RxDiscardsPhy},
    .limits = {Limit{.name = "crit_windows",
                     .value = 2,
                     .unit = "count",
                     .min = 1,
                     .max = 5,
                     .evidence = 'D',
                     .help = "how often within five minutes, at least a minute apart, drops are critical"}},
    .facts = {"mlx5-discards-per-buffer", "mlx5-ethtool-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

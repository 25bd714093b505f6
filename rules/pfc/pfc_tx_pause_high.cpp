// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "rules/pause_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kNeededSeconds = 180;  // three windows

/// Share of the line rate at which a window received; nothing where bytes or speed are not readable.
std::optional<double> utilisation(const Reading<Increase>& received, const Reading<std::uint64_t>& speed) {
  if (!received || !speed || *speed == 0 || received->seconds <= 0) return std::nullopt;
  return received->per_second() * 8 / static_cast<double>(*speed);
}

/// Takes out the windows in which the port received at about line rate: there pause is legitimate. False when the
/// receive rate of the newest window is not known.
bool drop_busy_windows(const Evidence& seen, Windows& windows, double busy) {
  const Reading<std::uint64_t> speed = seen.link_speed();
  const auto received = [&](double ago) {
    return utilisation(seen.increase(CounterId::RxBytesPhy, windows.length_seconds, kNoLane, ago), speed);
  };
  const std::optional<double> newest = received(0);
  if (!newest) return false;
  for (std::size_t k = 0; k < windows.complete.size(); ++k) {
    const std::optional<double> rate = received(windows.ago[k]);
    if (rate && *rate >= busy) windows.complete[k].amount = 0;
  }
  if (*newest >= busy) windows.latest.amount = 0;
  return true;
}

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  constexpr CounterId kDuration = CounterId::PfcTxPauseDuration, kFrames = CounterId::PfcTxPauseFrames;
  const bool frames_alone = seen.never_shown(kDuration) && !seen.never_shown(kFrames);
  Reading<PauseTime> time = pause_time(seen, kDuration, kFrames, priority);
  const Reading<Windows> windows = time ? Reading<Windows>(time->windows) : Reading<Windows>(time.absent());
  if (!readable(seen, out, frames_alone ? kFrames : kDuration, windows, priority)) return;

  const bool load_known = drop_busy_windows(seen, time->windows, seen.limit("busy_share"));
  const std::optional<PauseLevel> level = level_of(*time, 0, seen.limit("warn"), seen.limit("crit"));
  if (!level) return quiet(seen, out, kNeededSeconds, priority);

  std::string sentence =
      "This host paused the switch on priority " + std::to_string(priority) + " " + pause_words(*time, *level);
  sentence += level->sustained ? "" : "; that is not sustained yet";
  sentence += load_known ? ", while it received less than " + percent(seen.limit("busy_share")) + " of the line rate."
                         : ". How much it received is not known, so this can be legitimate.";
  if (time->at_most) sentence += " The driver counts pause frames alone, so this is an upper bound.";
  Judgement& entry =
      out.fail(severity_of(*time, *level), sentence,
               {seen.item("share of time that priority " + std::to_string(priority) + " was paused (sent)",
                          share_of(time->windows.latest), "share", ">=", level->limit,
                          seen.source_of(frames_alone ? kFrames : kDuration))},
               priority);
  entry.confidence = time->at_most ? 0.4 : load_known ? 1.0 : 0.6;
  entry.derived_threshold = true;
}

void judge(const Evidence& seen, Outcomes& out) {
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kPfcTxPauseHigh;
constinit const Rule kPfcTxPauseHigh{
    .id = "pfc-tx-pause-high",
    .family = "pfc",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kPfcOnly,
    .scope = Scope::Member,
    .title = "This host stops the fabric: it receives too slowly",
    .what =
        "Measures for which share of the time this NIC paused the switch on each lossless priority, while it received "
        "less "
        "than 90 % of the line rate. Warning from 0.1 %, critical from 5 %, when reached in three of the last five "
        "minutes.",
    .why = "The congestion of this host spreads to the switch and to flows that have nothing to do with it.",
    .next = "Look at PCIe width and speed, IOMMU and NUMA placement of this host first, then at firmware.",
    .likely_causes = {"PCIe link degraded or too slow", "IOMMU, NUMA or memory bandwidth",
                      "RDMA within the node through the NIC", "too many queue pairs or memory regions", "firmware"},
    .fix = {Recipe::Pcie, Recipe::Iommu, Recipe::Firmware},
    .traps = {"Short pauses at 90 % of the line rate or more are legitimate, and are left out.",
              "Some NICs send pause during firmware events.",
              "Drivers that count frames alone (Intel) give an upper bound: at most a warning of low confidence.",
              "Pause that is received is pfc-rx-pause-high: then the fabric stops us."},
    .needs = {CounterId::PfcTxPauseDuration, CounterId::PfcTxPauseFrames, CounterId::RxBytesPhy},
    .limits = {Limit{.name = "warn",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time that this host pauses the switch that is a warning"},
               Limit{.name = "crit",
                     .value = 0.05,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time that this host pauses the switch that is critical"},
               Limit{.name = "busy_share",
                     .value = 0.9,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the line rate from which pause is legitimate"}},
    .facts = {"ieee-802.1qbb", "mlx5-ethtool-counters", "pause-direction"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

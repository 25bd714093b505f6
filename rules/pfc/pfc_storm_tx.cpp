// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/pause_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 300;
/// A storm that the NIC counted is over so long after the last event; a one-shot looks at all that it saw.
constexpr double kEventSeconds = 30;
/// The NIC of the default setting speaks up after 8 s of stall, so less time proves nothing.
constexpr double kNeededSeconds = 10;

bool grew(const Evidence& seen, CounterId id) {
  const Reading<Increase> recent = seen.increase(id, kEventSeconds);
  return recent && recent->amount >= 1;
}

enum class Told { Nothing, Quiet, Storm };

/// The priority that was paused ten times as long as any other lately: then what the NIC counted is its storm.
std::optional<std::uint8_t> paused_alone(const Evidence& seen) {
  constexpr double kAlone = 10;
  std::optional<std::uint8_t> out;
  double most = 0, next = 0;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const auto paused = seen.growth(CounterId::PfcTxPauseDuration, kWindowSeconds, priority);
    if (!paused || paused->amount <= 0) continue;
    next = std::max(next, std::min(most, paused->amount));
    if (paused->amount <= most) continue;
    most = paused->amount;
    out = priority;
  }
  return most >= kAlone * next ? out : std::nullopt;
}

/// From the NIC's own counters, which see a stall whatever the sampling; newer kernels show stalls alone.
Told judge_counters(const Evidence& seen, Outcomes& out, std::optional<std::uint8_t> priority) {
  constexpr CounterId kErrors = CounterId::TxPauseStormError, kWarnings = CounterId::TxPauseStormWarning;
  const Reading<Increase> errors = seen.increase(kErrors, kWindowSeconds);
  const Reading<Increase> warnings = seen.increase(kWarnings, kWindowSeconds);
  const double stalls = errors ? errors->amount : 0, marks = warnings ? warnings->amount : 0;
  const bool lately =
      seen.one_shot() || marks >= seen.limit("crit_warnings") || grew(seen, kErrors) || grew(seen, kWarnings);
  if (!lately || (stalls < 1 && marks < 1))
    return errors && (warnings || seen.never_shown(kWarnings)) ? Told::Quiet : Told::Nothing;
  std::vector<EvidenceItem> evidence;
  if (errors) evidence.push_back(seen.item("tx_pause_storm_error", stalls, "events", ">=", 1, seen.source_of(kErrors)));
  if (warnings)
    evidence.push_back(seen.item("tx_pause_storm_warning", marks, "events", ">=", 1, seen.source_of(kWarnings)));
  std::string sentence = "The NIC " + netdev_name(seen) + " paused the switch without end: in the last " +
                         duration_text(errors ? errors->seconds : warnings->seconds) + " " +
                         counted(marks, "stall warning") + " and " + counted(stalls, "stall") + " past its time limit.";
  if (stalls >= 1) sentence += " After such a stall it stops pausing and drops.";
  const bool critical = stalls >= 1 || marks >= seen.limit("crit_warnings");
  out.fail(critical ? Severity::Critical : Severity::Warning, sentence, std::move(evidence), priority);
  return Told::Storm;
}

/// From pause durations of the priority. `failures_alone`: what is no failure is not written.
void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority, bool failures_alone) {
  constexpr CounterId kDuration = CounterId::PfcTxPauseDuration;
  const Reading<Windows> windows = seen.windows(kDuration, 60, 1, priority);
  if (failures_alone && !windows) return;
  if (!readable(seen, out, kDuration, windows, priority)) return;
  const Reading<std::uint64_t> speed = seen.link_speed();
  const double idle_per_second = speed ? seen.limit("idle_share") * static_cast<double>(*speed) / 8 : 0;
  const StormTerms terms{seen.limit("storm_share"), idle_per_second, seen.limit("samples"),
                         seen.limit("restore_seconds")};
  PauseRun run = pause_run(seen, kDuration, CounterId::RxBytesPriority, priority, terms);
  const bool is_over = run.samples == 0 && seen.one_shot();
  if (is_over) run = past_run(seen, kDuration, CounterId::RxBytesPriority, priority, terms);
  if (run.samples == 0 && failures_alone) return;
  if (run.samples == 0) return no_storm(seen, out, kDuration, priority, terms);

  const double in_samples = run.seconds;
  follow_back(seen, run, kDuration, CounterId::RxBytesPriority, priority, terms);
  const bool lasting = run.lasting;
  const std::string held = percent(run.paused_seconds / run.seconds);
  std::string sentence = "This host paused the switch on priority " + std::to_string(priority);
  if (is_over || run.seconds > in_samples)
    sentence += " for at least " + duration_text(std::min(run.seconds, run.reach)) + " (" + held + " of that time)";
  else
    sentence += " for " + held + " of the last " + duration_text(run.seconds) + " (" +
                counted(static_cast<double>(run.samples), "sample") + ")";
  sentence += run.traffic_known ? " and received next to nothing on it." : "; what it received on it is not known.";
  sentence += quiet_words(run);
  if (!lasting) sentence += " That is too short to call it a storm.";
  const Severity severity = !lasting                        ? Severity::Info
                            : run.traffic_known && !is_over ? Severity::Critical
                                                            : Severity::Warning;
  Judgement& entry =
      out.fail(severity, sentence,
               {seen.item("share of time that priority " + std::to_string(priority) + " was paused (sent)",
                          run.paused_seconds / run.seconds, "share", ">=", terms.share, seen.source_of(kDuration))},
               priority);
  entry.confidence = 0.7;
  entry.derived_threshold = seen.limit_is_derived("storm_share");
  if (run.traffic_known)
    entry.evidence.push_back(seen.item("received on priority " + std::to_string(priority), run.traffic, "bytes", "<=",
                                       idle_per_second * run.seconds, seen.source_of(CounterId::RxBytesPriority)));
}

/// Broadcom's events say that a pause was long, not how long: worth mentioning, no storm.
void mention_long_pauses(const Evidence& seen, Outcomes& out) {
  for (const CounterId id : {CounterId::ContinuousRocePauseEvents, CounterId::ContinuousPauseEvents}) {
    const Reading<Increase> events = seen.increase(id, kWindowSeconds);
    if (!events || events->amount < 1) continue;
    out.fail(Severity::Info,
             "The NIC " + netdev_name(seen) + " counted " + counted(events->amount, "long pause") + " in the last " +
                 duration_text(events->seconds) + "; its documents do not say how long they were.",
             {seen.item(info_of(id).name, events->amount, "events", ">=", 1, seen.source_of(id))});
    return;
  }
}

void judge(const Evidence& seen, Outcomes& out) {
  mention_long_pauses(seen, out);
  const std::optional<std::uint8_t> alone = paused_alone(seen);
  const Told told = judge_counters(seen, out, alone);
  if (told == Told::Storm) {
    // NVIDIA's own counters tell of priority 0; others may stand as well.
    for (std::uint8_t other = 1; seen.vendor() == "nvidia" && !alone && other < kPriorities; ++other)
      judge_priority(seen, out, other, true);
    return;
  }
  // mlx5 counts stalls of priority 0 alone, so that no stall there says nothing of the others: their durations do.
  const Reading<PfcFacts>& pfc = seen.member().dcb.pfc;
  const bool by_priority = !seen.never_shown(CounterId::PfcTxPauseDuration) && !(pfc && pfc->enabled == 0);
  if (told == Told::Quiet && !by_priority) return quiet(seen, out, kNeededSeconds);
  each_with_pfc(seen, out, CounterId::PfcTxPauseDuration,
                [&](std::uint8_t priority) { judge_priority(seen, out, priority, false); });
}

}  // namespace

extern const Rule kPfcStormTx;
constinit const Rule kPfcStormTx{
    .id = "pfc-storm-tx",
    .family = "pfc",
    .action = Action::Isolate,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "This NIC pauses the fabric without end",
    .what =
        "Reads the NIC's own storm counters: a stall past its limit is critical, a warning mark is a warning, three of "
        "those in five minutes are critical. Where they count nothing or are missing: on each PFC priority, pause for "
        "80 % of two seconds, in two samples in a row, with next to nothing received.",
    .why = "One NIC can block a whole fabric; after the limit it stops pausing and drops.",
    .next = "Drain the node and power-cycle it, update the firmware, and shorten the NIC's stall limit.",
    .likely_causes = {"receive pipeline of the NIC hangs (firmware)", "kernel panic with the link up", "PCIe hang"},
    .fix = {Recipe::StallWatchdog, Recipe::Firmware},
    .traps =
        {"NVIDIA's storm counters in ethtool are those of priority 0: none there proves nothing for the others.",
         "With the default limit of 8 s the NIC's counter needs a stall of 8 s; shorter windows prove nothing.",
         "Broadcom's continuous pause events are not the same thing: they are mentioned as info.",
         "It is judged under any RoCE profile and without one: a storm hurts other nodes under any design.",
         "A break of less than two seconds belongs to the same storm; what the NIC counted is over half a minute after "
         "the last event.",
         "From durations the finding is inferred: confidence 0.7."},
    .needs = {CounterId::TxPauseStormError, CounterId::TxPauseStormWarning, CounterId::PfcTxPauseDuration,
              CounterId::RxBytesPriority, CounterId::ContinuousPauseEvents, CounterId::ContinuousRocePauseEvents},
    .limits = {Limit{.name = "crit_warnings",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "stall warnings in five minutes that are critical"},
               Limit{.name = "storm_share",
                     .value = 0.8,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time that a priority was paused, which makes a storm"},
               Limit{.name = "idle_share",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the line rate below which the priority counts as receiving nothing"},
               Limit{.name = "samples",
                     .value = 2,
                     .unit = "count",
                     .min = 1,
                     .max = 60,
                     .evidence = 'D',
                     .help = "samples of a second in a row that it takes; shorter ones must add up to that time"},
               Limit{.name = "restore_seconds",
                     .value = 2,
                     .unit = "seconds",
                     .min = 0,
                     .max = 600,
                     .evidence = 'T',
                     .help = "time without storm after which it is over; shorter breaks belong to it"}},
    .facts = {"mlx5-stall-prevention", "mlx5-ethtool-counters", "pause-direction"},
    .judge = judge,
};

}  // namespace roceready::rules

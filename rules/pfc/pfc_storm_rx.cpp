// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <optional>
#include <string>

#include "rules/pause_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Acknowledgements are counted for the whole port: they speak of this priority only where the profile puts RoCE on it
/// and no other of RoCE's priorities sent meanwhile.
bool timeouts_are_of(const Evidence& seen, std::uint8_t priority, double seconds) {
  const Profile* profile = seen.profile();
  if (profile == nullptr) return false;
  const auto carries_roce = [&](std::uint8_t p) { return p == profile->roce_priority || profile->is_lossless(p); };
  if (!carries_roce(priority)) return false;
  for (std::uint8_t other = 0; other < kPriorities; ++other) {
    if (other == priority || !carries_roce(other)) continue;
    const Reading<Increase> sent = seen.increase(CounterId::TxBytesPriority, seconds, other);
    if (sent && sent->amount > 0) return false;
  }
  return true;
}

/// A host does not see how full its NIC's queue is. What shows that something waits: the priority sent in the minute
/// before the pause began, or the transport waited in vain for acknowledgements during it, in the last five minutes. ""
/// where nothing shows it.
std::string demand_shown(const Evidence& seen, const PauseRun& run, std::uint8_t priority) {
  const Reading<Increase> before = seen.increase(CounterId::TxBytesPriority, just_before(run), priority, run.reach);
  if (before && before->amount > 0) return "It had been sending just before the pause began.";
  const double lately = std::min(run.reach, 300.0);
  if (!timeouts_are_of(seen, priority, lately)) return "";
  for (const CounterId id : {CounterId::LocalAckTimeout, CounterId::TransportRetryExceeded}) {
    const Reading<Increase> waited = seen.increase(id, lately);
    if (waited && waited->amount > 0) return "Meanwhile acknowledgements timed out, so requests are waiting.";
  }
  return "";
}

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  constexpr CounterId kDuration = CounterId::PfcRxPauseDuration;
  const Reading<Windows> windows = seen.windows(kDuration, 60, 1, priority);
  if (!readable(seen, out, kDuration, windows, priority)) return;

  const StormTerms terms{seen.limit("storm_share"), 0, seen.limit("samples"), seen.limit("restore_seconds")};
  PauseRun run = pause_run(seen, kDuration, CounterId::TxBytesPriority, priority, terms);
  const bool is_over = run.samples == 0 && seen.one_shot();
  if (is_over) run = past_run(seen, kDuration, CounterId::TxBytesPriority, priority, terms);
  if (run.samples == 0) return no_storm(seen, out, kDuration, priority, terms);

  const double in_samples = run.seconds;
  follow_back(seen, run, kDuration, CounterId::TxBytesPriority, priority, terms);
  const bool lasting = run.lasting;
  const std::string demand = demand_shown(seen, run, priority);
  const std::string held = percent(run.paused_seconds / run.seconds);
  std::string sentence = "Priority " + std::to_string(priority);
  if (is_over || run.seconds > in_samples)
    sentence += std::string(is_over ? " was" : " has been") + " paused by the peer for at least " +
                duration_text(std::min(run.seconds, run.reach)) + " (" + held + " of that time)";
  else
    sentence += " was paused by the peer for " + held + " of the last " + duration_text(run.seconds) + " (" +
                counted(static_cast<double>(run.samples), "sample") + ")";
  sentence += run.traffic_known ? ", and nothing was sent on it." : "; what was sent on it is not known.";
  sentence += quiet_words(run);
  Severity severity = Severity::Critical;
  if (!lasting) {
    severity = Severity::Info;
    sentence += " That is too short to call it a storm.";
  } else if (is_over) {
    severity = Severity::Warning;
    if (!demand.empty()) sentence += " " + demand;
  } else if (!run.traffic_known || demand.empty()) {
    severity = Severity::Warning;
    sentence += run.traffic_known ? " Nothing shows that anything waits to be sent."
                                  : " So nothing shows that traffic is stuck.";
  } else {
    sentence += " " + demand;
  }
  Judgement& entry =
      out.fail(severity, sentence,
               {seen.item("share of time that priority " + std::to_string(priority) + " was paused (received)",
                          run.paused_seconds / run.seconds, "share", ">=", terms.share, seen.source_of(kDuration))},
               priority);
  if (run.traffic_known)
    entry.evidence.push_back(seen.item("sent on priority " + std::to_string(priority), run.traffic, "bytes", "==", 0,
                                       seen.source_of(CounterId::TxBytesPriority)));
}

void judge(const Evidence& seen, Outcomes& out) {
  each_with_pfc(seen, out, CounterId::PfcRxPauseDuration,
                [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kPfcStormRx;
constinit const Rule kPfcStormRx{
    .id = "pfc-storm-rx",
    .family = "pfc",
    .action = Action::Isolate,
    .severities = {Severity::Critical, Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "Endless pause from the peer blocks this port's lossless traffic",
    .what =
        "Fires when a priority with PFC was paused for at least 99 % of two seconds, in two samples in a row, and sent "
        "nothing. Critical for as long as it lasts when something shows that traffic waits: it sent just before the "
        "pause began, or acknowledgements time out. Else warning, as is a storm that ended in the last five minutes "
        "for "
        "who asks once.",
    .why = "Nothing of this class leaves the port, and whatever feeds it backs up: a whole fabric can stand still.",
    .next =
        "Find who sends the pause: a node whose pfc-storm-tx fires, else the switch port; take it out, and switch the "
        "switch's PFC watchdog on.",
    .likely_causes = {"a NIC that pauses without end", "PFC deadlock", "no PFC watchdog on the switch",
                      "broken switch port"},
    .fix = {Recipe::Switch},
    .traps = {"A host does not see how much waits in its NIC; without a sign that traffic waits it is a warning.",
              "Storms between 0.2 s and 2 s are seen as a share of pause only.",
              "One that pauses for less than two seconds and goes on is the same storm (restoration time).",
              "Every priority with PFC is judged, under any RoCE profile and without one; timeouts speak for RoCE's.",
              "A port that sends between pauses has congestion, not a storm: pfc-rx-pause-high."},
    .needs = {CounterId::PfcRxPauseDuration, CounterId::TxBytesPriority, CounterId::LocalAckTimeout,
              CounterId::TransportRetryExceeded},
    .limits = {Limit{.name = "storm_share",
                     .value = 0.99,
                     .unit = "share",
                     .min = 0.5,
                     .max = 1,
                     .evidence = 'T',
                     .help = "share of time paused that makes a storm"},
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
    .facts = {"ieee-802.1qbb", "mlx5-ethtool-counters", "sonic-storm-detector", "pause-direction"},
    .judge = judge,
};

}  // namespace roceready::rules

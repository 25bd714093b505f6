// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/ecn/cc_files.h"
#include "rules/pause_share.h"
#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 300;

void judge_priority(const Evidence& seen, Outcomes& out, std::uint8_t priority) {
  constexpr CounterId kDuration = CounterId::PfcRxPauseDuration, kMarks = CounterId::EcnMarkedRx;
  const Reading<Windows> paused = seen.windows(kDuration, kWindowSeconds, 1, priority);
  if (!readable(seen, out, kDuration, paused, priority)) return;
  const Reading<Windows> marks = seen.windows(kMarks, kWindowSeconds, 1);
  if (!readable(seen, out, kMarks, marks, priority)) return;
  const double share = share_of(paused->latest);
  if (share < seen.limit("pause_share") || marks->latest.amount > 0) return quiet(seen, out, kWindowSeconds, priority);
  const double packets = grown(seen, CounterId::RdmaRxPackets, kWindowSeconds);
  if (packets < seen.limit("min_packets"))
    return out.not_looked_at("longer_window",
                             "priority " + std::to_string(priority) +
                                 " was paused, but too few RDMA packets arrived to miss marks among them",
                             "a window with traffic", priority);
  out.fail(Severity::Info,
           "Priority " + std::to_string(priority) + " of " + netdev_name(seen) + " was paused for " + percent(share) +
               " of the last " + duration_text(paused->latest.seconds) + ", and none of " +
               counted(packets, "RDMA packet") +
               " received was marked for congestion; where marking works it acts before pause does.",
           {seen.item("share of time that priority " + std::to_string(priority) + " was paused (received)", share,
                      "share", ">=", seen.limit("pause_share"), seen.source_of(kDuration)),
            seen.item("packets received with a congestion mark", 0, "packets", "==", 0, seen.source_of(kMarks))},
           priority)
      .confidence = 0.4;
}

void judge(const Evidence& seen, Outcomes& out) {
  if (heeds_no_marks(*seen.profile())) return out.not_applicable(no_marks(*seen.profile()));
  if (seen.profile()->ecn == Ecn::Off)
    return out.not_applicable("profile " + seen.profile()->name + " has no congestion marks");
  each_lossless(seen, out, [&](std::uint8_t priority) { judge_priority(seen, out, priority); });
}

}  // namespace

extern const Rule kEcnPauseWithoutMarks;
constinit const Rule kEcnPauseWithoutMarks{
    .id = "ecn-pause-without-marks",
    .since = "0.3",
    .family = "ecn",
    .action = Action::Triage,
    .severities = {Severity::Info},
    .judged = kRate | kFabric,
    .modes = kLossless,
    .scope = Scope::Member,
    .title = "Pause acts, but no packet is ever marked",
    .what =
        "Fires when a lossless priority was paused for at least 0.1 % of five minutes and not one of at least 100 000 "
        "RDMA packets received carried a congestion mark. One node alone gives only a hint: info.",
    .why = "Congestion control never starts, so pause is all that there is, and it spreads.",
    .next = "Check on the switch that ECN is on for RoCE's queue and that its threshold lies below that of pause.",
    .likely_causes = {"ECN is off on the switch's queue", "the sender's ToS forbids marking",
                      "marking threshold above that of pause"},
    .fix = {Recipe::Switch, Recipe::Tos},
    .traps = {"Marks on what this node sends are seen by its peers, not here: it takes several nodes to be sure.",
              "Pause from a slow receiver builds no queue at a switch's port, and is not marked.",
              "PFC-only designs have no marks."},
    .needs = {CounterId::PfcRxPauseDuration, CounterId::EcnMarkedRx, CounterId::RdmaRxPackets},
    .limits = {Limit{.name = "pause_share",
                     .value = 0.001,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of time paused from which marks are expected"},
               Limit{.name = "min_packets",
                     .value = 100000,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "RDMA packets in five minutes below which no mark proves nothing"}},
    .facts = {"ecn-before-pfc", "dcqcn-roles"},
    .judge = judge,
};

}  // namespace roceready::rules

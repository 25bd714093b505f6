// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60;

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<Windows> sent = seen.windows(CounterId::CnpSent, kMinute, 1);
  if (!readable(seen, out, CounterId::CnpSent, sent)) return;
  const Reading<Windows> marked = seen.windows(CounterId::EcnMarkedRx, kMinute, 1);
  if (!readable(seen, out, CounterId::EcnMarkedRx, marked)) return;
  const double answers = sent->latest.amount, marks = marked->latest.amount;
  if (answers < seen.limit("min_sent") || marks > seen.limit("mark_share") * answers) return quiet(seen, out, kMinute);
  out.fail(Severity::Info,
           port_name(seen) + " sent " + counted(answers, "congestion notification") + " in the last " +
               duration_text(sent->latest.seconds) + " while " + counted(marks, "marked packet") +
               " arrived; some NICs send them for packets out of order, so look for loss or reordering.",
           {seen.item("congestion notifications sent", answers, "packets", ">=", seen.limit("min_sent"),
                      seen.source_of(CounterId::CnpSent)),
            seen.item("packets received with a congestion mark", marks, "packets",
                      "<=", seen.limit("mark_share") * answers, seen.source_of(CounterId::EcnMarkedRx))});
}

}  // namespace

extern const Rule kEcnCnpWithoutMarks;
constinit const Rule kEcnCnpWithoutMarks{
    .id = "ecn-cnp-without-marks",
    .since = "0.3",
    .family = "ecn",
    .action = Action::Monitor,
    .severities = {Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Congestion notifications are sent without marked packets",
    .what =
        "Fires when at least 1000 congestion notifications were sent in a minute and next to no marked packet "
        "arrived. Info: a hint at loss or reordering.",
    .why = "Some NICs answer packets out of order with notifications, so this is loss seen from another side.",
    .next = "Look at out-of-order arrivals and drops on this port, and at adaptive routing.",
    .likely_causes = {"ConnectX accelerations for lossy fabrics, after packets out of order",
                      "a counter of marks that "
                      "is stuck"},
    .fix = {Recipe::Switch},
    .traps = {"It is no congestion: nothing was marked.", "One notification can answer many marks, never the reverse."},
    .needs = {CounterId::CnpSent, CounterId::EcnMarkedRx},
    .limits = {Limit{.name = "min_sent",
                     .value = 1000,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "notifications sent in a minute that are worth mentioning"},
               Limit{.name = "mark_share",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "marked packets per notification up to which there are next to none"}},
    .facts = {"dcqcn-roles", "connectx-cnp-on-reorder"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kDay = 86400;

void judge(const Evidence& seen, Outcomes& out) {
  const NetLink& link = seen.member().link;
  if (!link.carrier) return out.unknown(link.carrier.absent());
  if (!*link.carrier) return out.not_applicable("the link is down now: link-down speaks");
  const double shortest = seen.limit("down_s"), fresh = seen.limit("report_s");

  using Kind = HistoryEvent::Kind;
  const auto& events = seen.history().events();
  const auto down_before = [&](const HistoryEvent& event) {
    return event.kind == Kind::LinkDown && event.owner == link.name;
  };
  const auto unexplained = seen.events(Kind::LinkDown, kDay);
  for (auto up = events.rbegin(); up != events.rend(); ++up) {
    if (up->kind != Kind::LinkUp || up->owner != link.name) continue;
    const double back_for = seconds_between(up->at, midpoint(seen.now()));
    if (back_for > fresh) break;
    // A loss in the very sample in which the carrier came back is a bounce at the end of the one that this ends.
    const auto down = std::find_if(std::next(up), events.rend(), [&](const HistoryEvent& event) {
      return down_before(event) && event.at.monotonic_ns < up->at.monotonic_ns;
    });
    if (down == events.rend()) break;
    const double lasted = seconds_between(down->at, up->at);
    const bool excused = std::none_of(unexplained.begin(), unexplained.end(), [&](const HistoryEvent& event) {
      return event.at.monotonic_ns == down->at.monotonic_ns;
    });
    if (lasted < shortest || excused) continue;
    std::string sentence = link.name + " was without carrier for " + duration_text(lasted) + " and is back for " +
                           duration_text(back_for) + "; nobody set it down.";
    if (const std::size_t others = lost_together(seen, *down); others > 0)
      sentence += " " + counted(static_cast<double>(others), "other link") +
                  " of this node went down at the same moment, as when a switch restarts.";
    out.fail(Severity::Warning, sentence,
             {seen.item("time without carrier", lasted, "seconds", ">=", shortest, "rtnetlink " + link.name)})
        .derived_threshold = seen.limit_is_derived("down_s");
    return;
  }
  quiet(seen, out, shortest);
}

}  // namespace

extern const Rule kLinkDropLong;
constinit const Rule kLinkDropLong{
    .id = "link-drop-long",
    .family = "link",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Link was down for minutes",
    .what =
        "Reads when the carrier was lost and came back. Fires for ten minutes after a loss of four minutes or more "
        "that "
        "no admin change or driver reload explains.",
    .why = "Jobs on this node lost a rail for longer than RDMA retries last; what ran then has failed or hangs.",
    .next =
        "Look for a restart of the switch at that time; without one, check cable, module and the switch port's log.",
    .likely_causes = {"switch restarted or upgraded", "optical module or cable", "cable was unplugged",
                      "switch port shut down", "firmware"},
    .fix = {Recipe::Optic, Recipe::Firmware},
    .traps = {"While the link is down link-down speaks; this rule tells of it afterwards.",
              "Interface set down by hand, driver reload and firmware reset within 120 s explain it.",
              "A switch that restarts takes all its links along: the sentence says how many went at the same moment."},
    .needs = {CounterId::CarrierDownEvents},
    .limits = {Limit{.name = "down_s",
                     .value = 240,
                     .unit = "seconds",
                     .min = 10,
                     .max = 86400,
                     .evidence = 'T',
                     .help = "how long a loss of carrier lasts to be told of"},
               Limit{.name = "report_s",
                     .value = 600,
                     .unit = "seconds",
                     .min = 1,
                     .max = 86400,
                     .evidence = 'T',
                     .help = "for how long after the carrier is back it is told of"}},
    .facts = {"flap-limits-of-public-tools", "kernel-carrier-counts"},
    .judge = judge,
};

}  // namespace roceready::rules

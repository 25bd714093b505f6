// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kHour = 3600, kDay = 24 * kHour;
constexpr CounterId kCounters[] = {CounterId::CarrierDownEvents, CounterId::LinkDownEvents};

struct Downs {
  double count = 0;
  std::string source;
};

/// Unexplained losses of carrier. Snapshots merge flaps that are shorter than a second, the counters do not.
Downs downs_in(const Evidence& seen, double seconds) {
  Downs out{static_cast<double>(seen.events(HistoryEvent::Kind::LinkDown, seconds).size()),
            "rtnetlink " + seen.member().link.name};
  for (const CounterId id : kCounters) {
    // Counters count what a person did as well.
    const Reading<Increase> growth = outside_grace(
        seen, [&](double window, double ago) { return seen.increase(id, window, kNoLane, ago); }, seconds, 0,
        Explained::ByHand);
    if (growth && growth->amount > out.count) out = {growth->amount, seen.source_of(id)};
  }
  return out;
}

/// A hint that it is not this cable: other links went with the newest loss.
std::string others_went_too(const Evidence& seen) {
  const auto downs = seen.events(HistoryEvent::Kind::LinkDown, kDay);
  const std::size_t others = downs.empty() ? 0 : lost_together(seen, downs.back());
  if (others == 0) return "";
  return " " + counted(static_cast<double>(others), "other link") +
         " of this node went down at the same moment, as when a switch restarts.";
}

/// Losses of carrier in the last day that lasted for at least `seconds`. A return of the carrier ends the newest loss
/// before it; losses without one were over in the sample that counted them.
double long_downs(const Evidence& seen, double seconds) {
  using Kind = HistoryEvent::Kind;
  std::set<std::int64_t> unexplained;
  for (const HistoryEvent& down : seen.events(Kind::LinkDown, kDay)) unexplained.insert(down.at.monotonic_ns);
  const auto& events = seen.history().events();
  double count = 0;
  for (auto up = events.rbegin(); up != events.rend(); ++up) {
    if (up->kind != Kind::LinkUp || up->owner != seen.member().link.name) continue;
    // A loss in the very sample in which the carrier came back is a bounce at the end of the one that this ends.
    const auto begin = std::find_if(std::next(up), events.rend(), [&](const HistoryEvent& event) {
      return event.owner == up->owner && event.at.monotonic_ns < up->at.monotonic_ns &&
             (event.kind == Kind::LinkDown || event.kind == Kind::LinkUp);
    });
    if (begin == events.rend() || begin->kind != Kind::LinkDown || !unexplained.contains(begin->at.monotonic_ns))
      continue;
    if (seconds_between(begin->at, up->at) >= seconds) ++count;
  }
  return count;
}

void judge(const Evidence& seen, Outcomes& out) {
  const NetLink& link = seen.member().link;
  const bool counted_by_kernel = std::any_of(std::begin(kCounters), std::end(kCounters),
                                             [&](CounterId id) { return seen.counter(id).has_value(); });
  if (!counted_by_kernel && !link.carrier) return out.unknown(link.carrier.absent());

  const Downs hour = downs_in(seen, kHour), day = downs_in(seen, kDay);
  const double slow = long_downs(seen, seen.limit("long_down_s"));
  if (slow >= seen.limit("long_downs") || hour.count >= seen.limit("crit_1h") || day.count >= seen.limit("crit_24h")) {
    std::string sentence = link.name + " lost its carrier " + counted(day.count, "time") + " in the last 24 h, " +
                           counted(hour.count, "time") + " of them in the last hour";
    if (slow >= seen.limit("long_downs"))
      sentence +=
          "; " + counted(slow, "time") + " it stayed down for at least " + duration_text(seen.limit("long_down_s"));
    std::vector<EvidenceItem> evidence = {
        seen.item("losses of carrier in 1 h", hour.count, "events", ">=", seen.limit("crit_1h"), hour.source),
        seen.item("losses of carrier in 24 h", day.count, "events", ">=", seen.limit("crit_24h"), day.source)};
    out.fail(Severity::Critical, sentence + "." + others_went_too(seen), std::move(evidence)).derived_threshold =
        hour.count >= seen.limit("crit_1h") && seen.limit_is_derived("crit_1h");
    return;
  }
  if (hour.count >= seen.limit("warn_1h")) {
    out.fail(Severity::Warning,
             link.name + " lost its carrier " + counted(hour.count, "time") + " in the last " +
                 duration_text(std::min(kHour, seen.observed_seconds())) + ", and nobody set it down." +
                 others_went_too(seen),
             {seen.item("losses of carrier in 1 h", hour.count, "events", ">=", seen.limit("warn_1h"), hour.source)})
        .derived_threshold = seen.limit_is_derived("warn_1h");
    return;
  }
  quiet(seen, out, kHour);
}

}  // namespace

extern const Rule kLinkFlap;
constinit const Rule kLinkFlap{
    .id = "link-flap",
    .family = "link",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Link lost its carrier",
    .what =
        "Reads losses of carrier: events that were seen, and growth of the kernel's and the NIC's counters. Fires at "
        "one "
        "unexplained loss in an hour (warning), three in an hour, five in a day, or three that lasted 25 s (critical).",
    .why =
        "Every flap costs a resend of all packets in flight and at least one acknowledge timeout on each queue pair; "
        "one "
        "flapping link slows a whole job.",
    .next = "Clean or replace cable and module on this link, then look at the same port from the switch.",
    .likely_causes = {"marginal optical module or cable", "dirty fibre", "overheated module", "switch port",
                      "firmware"},
    .fix = {Recipe::Optic, Recipe::Firmware},
    .traps =
        {"The counters since boot are not judged: training at boot routinely adds one to three.",
         "Interface set down by hand, driver reload and firmware reset explain a loss for 120 s.",
         "A switch that restarts takes all its links down at once: the sentence says how many went with this one."},
    .needs = {CounterId::CarrierDownEvents, CounterId::LinkDownEvents},
    .limits = {Limit{.name = "warn_1h",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "unexplained losses of carrier in one hour that are a warning"},
               Limit{.name = "crit_1h",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'D',
                     .help = "unexplained losses of carrier in one hour that are critical"},
               Limit{.name = "crit_24h",
                     .value = 5,
                     .unit = "count",
                     .min = 1,
                     .max = 10000,
                     .evidence = 'T',
                     .help = "unexplained losses of carrier in 24 hours that are critical"},
               Limit{.name = "long_downs",
                     .value = 3,
                     .unit = "count",
                     .min = 1,
                     .max = 1000,
                     .evidence = 'T',
                     .help = "long losses of carrier in 24 hours that are critical"},
               Limit{.name = "long_down_s",
                     .value = 25,
                     .unit = "seconds",
                     .min = 1,
                     .max = 3600,
                     .evidence = 'T',
                     .help = "how long a loss of carrier lasts to be a long one"}},
    .facts = {"kernel-carrier-counts", "flap-limits-of-public-tools"},
    .judge = judge,
};

}  // namespace roceready::rules

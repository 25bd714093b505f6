// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Completions with an error, and those of them that were only flushed because their queue pair was closed.
struct Side {
  CounterId all, flushed;
};
constexpr Side kSides[] = {{CounterId::ReqCqeError, CounterId::ReqCqeFlushError},
                           {CounterId::RespCqeError, CounterId::RespCqeFlushError}};

void judge(const Evidence& seen, Outcomes& out) {
  double errors = 0, seconds = 0;
  for (const Side& side : kSides) {
    double of_side = 0;
    for (const CounterId id : {side.all, side.flushed}) {
      const Reading<Windows> windows = seen.windows(id, kMinute, 1);
      if (!readable(seen, out, id, windows)) return;
      of_side += id == side.all ? windows->latest.amount : -windows->latest.amount;
      seconds = windows->latest.seconds;
    }
    errors += std::max(0.0, of_side);  // flushes of one side excuse nothing on the other
  }
  const double limit = seen.limit("per_min");
  if (errors < limit) return quiet(seen, out, kMinute);
  out.fail(Severity::Warning,
           counted(errors, "work request") + " of " + port_name(seen) + " ended in an error in the last " +
               duration_text(seconds) + "; those flushed when a queue pair closes are not counted.",
           {seen.item("completions with an error, less flushed ones", errors, "events", ">=", limit,
                      seen.source_of(CounterId::ReqCqeError))})
      .derived_threshold = seen.limit_is_derived("per_min");
}

}  // namespace

extern const Rule kTransportCqeError;
constinit const Rule kTransportCqeError{
    .id = "transport-cqe-error",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Warning},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "Work requests end in errors",
    .what =
        "Counts completions with an error, of sends and receives, less those that were flushed. Warning at ten in the "
        "last minute.",
    .why =
        "Each one is a message that an application did not get through; its queue pair is usually in error after that.",
    .next =
        "Ask the application's log for the completion status; then look for broken connections and access errors at "
        "the same time.",
    .likely_causes = {"retries used up (transport-retry-exceeded)", "access errors of an application",
                      "peer went away"},
    .fix = {Recipe::Application, Recipe::Switch},
    .traps = {"Flushed work requests are normal when a job ends, and are subtracted.",
              "A NIC that does not count flushed ones apart cannot be judged."},
    .needs = {CounterId::ReqCqeError, CounterId::ReqCqeFlushError, CounterId::RespCqeError,
              CounterId::RespCqeFlushError},
    .limits = {Limit{.name = "per_min",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "completions with an error in a minute that are a warning"}},
    .facts = {"mlx5-q-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

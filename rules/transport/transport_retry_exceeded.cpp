// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "rules/event_share.h"
#include "rules/occasions.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindowSeconds = 300, kNeededSeconds = 60;

/// One way for a connection to run out of retries.
struct Kind {
  CounterId id;
  const char* words;
};
constexpr Kind kKinds[] = {{CounterId::TransportRetryExceeded, "no acknowledgement came"},
                           {CounterId::RnrRetryExceeded, "the receiver was not ready"}};

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<Increase> path = seen.increase(kKinds[0].id, kWindowSeconds);
  if (!path) {
    readable(seen, out, kKinds[0].id, path.absent());
    return;
  }
  double total = 0;
  std::size_t times = 0;
  std::size_t path_times = 0;
  std::vector<std::string> reasons;
  std::vector<EvidenceItem> evidence;
  for (const Kind& kind : kKinds) {
    const Reading<Increase> grown = seen.increase(kind.id, kWindowSeconds);
    if (!grown || grown->amount < 1) continue;  // few NICs count the second kind
    const double amount = grown->amount;
    total += amount;
    const std::size_t its_times = occasions(seen, kind.id, static_cast<int>(kWindowSeconds));
    times = std::max(times, its_times);
    if (kind.id == kKinds[0].id) path_times = its_times;
    reasons.push_back(std::string(kind.words) + " (" + counted(amount, "time") + ")");
    evidence.push_back(seen.item(info_of(kind.id).name, amount, "events", ">=", 1, seen.source_of(kind.id)));
  }
  if (total < 1) {
    if (nothing_hidden(seen, out, {kKinds[0].id, kKinds[1].id})) quiet(seen, out, kNeededSeconds);
    return;
  }

  const bool repeated = static_cast<double>(times) >= seen.limit("crit_windows");
  const bool of_path = static_cast<double>(path_times) >= seen.limit("crit_windows");
  std::string sentence = counted(total, "connection") + " of " + port_name(seen) + " gave up in the last " +
                         duration_text(path->seconds) + ": " + joined(reasons) + ".";
  sentence += repeated ? " That happened " + counted(static_cast<double>(times), "time") +
                             " in the last five minutes, at least a minute apart."
                       : " Once only: a peer went away, or the path was lost.";
  // A receiver that is not ready is its application's matter, and no reason to drain a node.
  out.fail(of_path ? Severity::Critical : Severity::Warning, sentence, std::move(evidence)).derived_threshold =
      of_path && seen.limit_is_derived("crit_windows");
}

}  // namespace

extern const Rule kTransportRetryExceeded;
constinit const Rule kTransportRetryExceeded{
    .id = "transport-retry-exceeded",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Port,
    .title = "Connections break: all retries were used up",
    .what =
        "Counts queue pairs of this port that ran out of retries, for acknowledgements or for a receiver that was not "
        "ready. Warning at the first, critical when acknowledgements failed twice in five minutes, at least a minute "
        "apart.",
    .why = "The queue pair goes into error, and the job that uses it usually ends.",
    .next =
        "Find out which peer was lost; if it is alive, look for a black hole on the path, a wrong MTU or a pause "
        "storm.",
    .likely_causes = {"peer process or node went away", "path loss or black hole", "wrong MTU on the path",
                      "pause storm", "receiver never ready (application)"},
    .fix = {Recipe::Mtu, Recipe::Switch},
    .traps = {"A peer that ends or reboots causes it legitimately: once is a warning.",
              "Retries for a receiver that was not ready are the application's matter, and are named."},
    .needs = {CounterId::TransportRetryExceeded, CounterId::RnrRetryExceeded},
    .limits = {Limit{
        .name = "crit_windows",
        .value = 2,
        .unit = "count",
        .min = 1,
        .max = 5,
        .evidence = 'D',
        .help = "how often within five minutes, at least a minute apart, broken connections are critical"}},
    .facts = {"mlx5-q-counters", "rxe-hw-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <cstddef>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

/// Whether the link went down in a window, or within its length before it: what waited then was thrown away.
bool lost_link(const Evidence& seen, double ago) {
  const Instant now = midpoint(seen.now());
  for (const HistoryEvent& event : seen.history().events()) {
    const bool down = event.kind == HistoryEvent::Kind::LinkDown || event.kind == HistoryEvent::Kind::AdminDown;
    const double since = seconds_between(event.at, now);
    if (down && event.owner == seen.member().link.name && since >= ago - 1 && since <= ago + 2 * kMinute) return true;
  }
  return false;
}

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kDrops = CounterId::TxDiscardsPhy;
  Reading<Windows> drops = seen.windows(kDrops, kMinute, kMinutes);
  if (!readable(seen, out, kDrops, drops)) return;
  if (lost_link(seen, 0)) drops->latest.amount = 0;
  for (std::size_t k = 0; k < drops->complete.size(); ++k)
    if (lost_link(seen, drops->ago[k])) drops->complete[k].amount = 0;
  const double limit = seen.limit("per_min");
  const Held many = held(*drops, [&](const Increase& one) { return one.amount >= limit; });
  if (many == Held::Never) return quiet(seen, out, kSustainedSeconds);
  const bool sustained = many == Held::Sustained;
  out.fail(sustained ? Severity::Warning : Severity::Info,
           netdev_name(seen) + " threw away " + counted(drops->latest.amount, "packet") +
               " instead of sending them in the last " + duration_text(drops->latest.seconds) + ", with its link up" +
               sustained_words(sustained),
           {seen.item("packets discarded on transmit", drops->latest.amount, "packets", ">=", limit,
                      seen.source_of(kDrops))})
      .derived_threshold = seen.limit_is_derived("per_min");
}

}  // namespace

extern const Rule kDropTxDiscards;
constinit const Rule kDropTxDiscards{
    .id = "drop-tx-discards",
    .family = "drop",
    .action = Action::Triage,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Member,
    .title = "NIC throws packets away instead of sending them",
    .what =
        "Counts transmit discards of the port while its link is up. Warning from ten a minute, in three of the last "
        "five minutes.",
    .why = "What this node sends is lost before it leaves; its queue pairs time out.",
    .next = "Look at received pause first: a port that is paused for long throws away what waits.",
    .likely_causes = {"paused for too long (pfc-storm-rx, pfc-rx-pause-high)", "head-of-line timer of the NIC",
                      "the link went down a moment before"},
    .fix = {Recipe::Switch},
    .traps = {"A link that goes down flushes what waited: minutes with a link loss are left out."},
    .needs = {CounterId::TxDiscardsPhy},
    .limits = {Limit{.name = "per_min",
                     .value = 10,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e12,
                     .evidence = 'D',
                     .help = "packets discarded in a minute that are a warning"}},
    .facts = {"mlx5-tx-discards"},
    .judge = judge,
};

}  // namespace roceready::rules

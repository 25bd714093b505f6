// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "rules/event_share.h"
#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kHour = 3600;

/// What one counter saw of blocks or symbols that nothing could repair, outside of link training.
struct Losses {
  CounterId id;
  const char* unit;
  double hour = 0, minute = 0;
  std::size_t bad_minutes = 0;  ///< of the last five
};

std::optional<Losses> losses_of(const Evidence& seen, CounterId id, const char* unit) {
  const GrowthOf growth = [&](double seconds, double ago) { return seen.increase(id, seconds, kNoLane, ago); };
  const Reading<Increase> hour = outside_grace(seen, growth, kHour);
  if (!hour) return std::nullopt;
  Losses out{id, unit, hour->amount};
  for (std::size_t k = 0; k < kMinutes && out.hour > 0; ++k) {
    const Reading<Increase> minute = outside_grace(seen, growth, kMinute, kMinute * static_cast<double>(k));
    if (!minute || minute->amount < 1) continue;
    ++out.bad_minutes;
    if (k == 0) out.minute = minute->amount;
  }
  return out;
}

constexpr CounterId kBlocks = CounterId::FecUncorrectableBlocks, kSymbols = CounterId::SymbolErrorsUncorrected;

/// Kernels without statistics of FEC, and links without FEC, have no blocks to count.
bool blocks_exist(const Evidence& seen) {
  const Reading<std::uint64_t> blocks = field(seen.member().ethtool.fec, &FecFacts::uncorrectable_blocks);
  return blocks || (blocks.absent().why != Why::NotPresent && blocks.absent().why != Why::NotSupported);
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::optional<Losses> blocks = losses_of(seen, kBlocks, "block");
  const std::optional<Losses> symbols = losses_of(seen, kSymbols, "symbol");
  if (!blocks && !symbols) {
    const CounterId id = seen.never_shown(kBlocks) ? kSymbols : kBlocks;
    readable(seen, out, id, seen.windows(id, kMinute, kMinutes));
    return;
  }
  const Losses worst = blocks && (!symbols || blocks->hour >= symbols->hour) ? *blocks : *symbols;
  if (worst.hour < seen.limit("warn_1h")) {
    const bool whole =
        blocks_exist(seen) ? nothing_hidden(seen, out, {kBlocks, kSymbols}) : nothing_hidden(seen, out, {kSymbols});
    if (whole) quiet(seen, out, kHour);
    return;
  }

  constexpr std::size_t kBadMinutes = 3;
  const bool lasting = worst.bad_minutes >= kBadMinutes;
  const bool critical = worst.minute >= seen.limit("crit_1m") || lasting;
  std::string sentence = seen.member().link.name + " received " + counted(worst.hour, worst.unit) + " in the last " +
                         duration_text(std::min(kHour, seen.observed_seconds())) +
                         " that FEC could not repair; each of them is at least one lost frame.";
  if (worst.minute > 0) sentence += " In the last minute it was " + counted(worst.minute, worst.unit) + ".";
  if (lasting) sentence += " There were some in " + std::to_string(worst.bad_minutes) + " of the last 5 minutes.";
  out.fail(
         critical ? Severity::Critical : Severity::Warning, sentence,
         {seen.item("not repaired in 1 h", worst.hour, "events", ">=", seen.limit("warn_1h"), seen.source_of(worst.id)),
          seen.item("not repaired in 1 min", worst.minute, "events", ">=", seen.limit("crit_1m"),
                    seen.source_of(worst.id))})
      .derived_threshold = seen.limit_is_derived(critical ? "crit_1m" : "warn_1h");
}

}  // namespace

extern const Rule kLinkFecUncorrectable;
constinit const Rule kLinkFecUncorrectable{
    .id = "link-fec-uncorrectable",
    .family = "link",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "FEC can no longer repair the link",
    .what =
        "Reads the growth of FEC blocks that could not be corrected, and of symbol errors that were left over (mlx5, "
        "Broadcom). Warning at the first in an hour; critical at ten in a minute, or at some in three of the last five "
        "minutes.",
    .why =
        "Frames are lost on the wire whatever the QoS settings are; the peers see sequence errors and acknowledge "
        "timeouts.",
    .next = "Clean or replace cable and module; if the errors stay, move the link to another switch port.",
    .likely_causes = {"marginal optical module or cable", "dirty fibre", "overheated module",
                      "transmitter of the switch port", "FEC modes differ"},
    .fix = {Recipe::Optic, Recipe::Fec},
    .traps = {"A link that trains makes bursts of them: 120 s after a link, driver or admin event nothing counts.",
              "The counters are cleared when the link comes up; totals are never judged.",
              "Corrected blocks and bits are normal on PAM4 links: only what was left over counts here.",
              "The limits are our own reasoning: critical only together with a finding of another family."},
    .needs = {CounterId::FecUncorrectableBlocks, CounterId::SymbolErrorsUncorrected},
    .limits = {Limit{.name = "warn_1h",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "blocks or symbols not repaired in one hour that are a warning"},
               Limit{.name = "crit_1m",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "blocks or symbols not repaired in one minute that are critical"}},
    .facts = {"ethtool-fec-statistics", "mlx5-line-counters"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

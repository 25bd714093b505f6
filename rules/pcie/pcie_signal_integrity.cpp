// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "rules/event_share.h"
#include "rules/link/link_history.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kHour = 3600;

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kRx = CounterId::PcieRxSignalIntegrity, kTx = CounterId::PcieTxSignalIntegrity;
  const auto growth_of = [&](CounterId id) {
    return outside_grace(
        seen, [&, id](double seconds, double ago) { return seen.increase(id, seconds, kNoLane, ago); }, kHour);
  };
  const Reading<Increase> rx = growth_of(kRx), tx = growth_of(kTx);
  if (!rx && !tx) {
    const CounterId id = seen.never_shown(kRx) ? kTx : kRx;
    readable(seen, out, id, seen.windows(id, kHour, 1));
    return;
  }
  const double ours = rx ? rx->amount : 0, theirs = tx ? tx->amount : 0, sum = ours + theirs;
  if (sum < seen.limit("warn_1h")) {
    if (nothing_hidden(seen, out, {kRx, kTx})) quiet(seen, out, kHour);
    return;
  }
  const bool critical = sum >= seen.limit("crit_1h");
  const std::string source = seen.source_of(rx ? kRx : kTx);
  out.fail(critical ? Severity::Critical : Severity::Warning,
           "The PCIe link of " + netdev_name(seen) + " had to recover " + counted(sum, "time") + " in the last " +
               duration_text(std::min(kHour, seen.observed_seconds())) + ": " + short_number(ours, 6) +
               " after damage that the NIC received, " + short_number(theirs, 6) + " that the other end asked for.",
           {seen.item("PCIe link recoveries in 1 h", sum, "events", ">=", seen.limit(critical ? "crit_1h" : "warn_1h"),
                      source)})
      .derived_threshold = seen.limit_is_derived(critical ? "crit_1h" : "warn_1h");
}

}  // namespace

extern const Rule kPcieSignalIntegrity;
constinit const Rule kPcieSignalIntegrity{
    .id = "pcie-signal-integrity",
    .family = "pcie",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe link has to recover from errors",
    .what =
        "Reads the NIC's own counters of PCIe link recoveries after framing or CRC errors. Warning at the first in an "
        "hour, critical at five.",
    .why = "Each recovery stops the bus while the wire goes on; a link like that soon runs narrower or slower.",
    .next = "Reseat the card, check riser and slot, then update BIOS and NIC firmware.",
    .likely_causes = {"card not seated well", "riser or cable", "slot", "BIOS or NIC firmware"},
    .fix = {Recipe::Pcie, Recipe::Firmware},
    .traps = {"Recoveries at boot are in the totals, which are never judged.",
              "The counters are 32 bits wide: a wrap is no burst.",
              "Only mlx5 counts them; the AER rules look at the same link on other NICs."},
    .needs = {CounterId::PcieRxSignalIntegrity, CounterId::PcieTxSignalIntegrity},
    .limits = {Limit{.name = "warn_1h",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "recoveries of the PCIe link in one hour that are a warning"},
               Limit{.name = "crit_1h",
                     .value = 5,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "recoveries of the PCIe link in one hour that are critical"}},
    .facts = {"mlx5-pcie-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

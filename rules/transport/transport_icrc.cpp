// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/event_share.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kHour = 3600;

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kBad = CounterId::RxIcrcErrors;
  const Reading<Windows> minute = seen.windows(kBad, kMinute, 1);
  if (!readable(seen, out, kBad, minute)) return;
  const Reading<Increase> hour = seen.increase(kBad, kHour);
  const double crit = seen.limit("crit_per_min"), warn = seen.limit("warn_per_hour");
  const bool critical = minute->latest.amount >= crit;
  if (!critical && (!hour || hour->amount < warn)) return quiet(seen, out, kMinute);
  const Increase& shown = critical ? minute->latest : *hour;
  out.fail(critical ? Severity::Critical : Severity::Warning,
           counted(shown.amount, "packet") + " with a wrong ICRC reached " + port_name(seen) + " in the last " +
               duration_text(shown.seconds) +
               ": they were damaged inside a device on the path, behind its Ethernet "
               "checksum.",
           {seen.item("packets with a wrong ICRC", shown.amount, "packets", ">=", critical ? crit : warn,
                      seen.source_of(kBad))})
      .derived_threshold = seen.limit_is_derived(critical ? "crit_per_min" : "warn_per_hour");
}

}  // namespace

extern const Rule kTransportIcrc;
constinit const Rule kTransportIcrc{
    .id = "transport-icrc",
    .family = "transport",
    .action = Action::Triage,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kRate,
    .modes = kRoceModes,
    .scope = Scope::Port,
    .title = "RoCE packets arrive damaged (invariant CRC)",
    .what =
        "Counts RoCE packets whose invariant CRC is wrong. Warning at the first in an hour, critical at ten in a "
        "minute.",
    .why =
        "Something on the path changes packets after their Ethernet checksum was made: memory of a switch, a tunnel, a "
        "middlebox. Data is at risk, not only speed.",
    .next =
        "Find the device: compare the nodes that see it, and take the switch or path that they share out of service.",
    .likely_causes = {"failing memory of a switch", "tunnel or middlebox that rewrites packets",
                      "something else sends to UDP port 4791", "failing NIC of one peer"},
    .fix = {Recipe::Switch},
    .traps = {"Link errors do not explain it: the Ethernet checksum would have caught those.",
              "Rewriting the DSCP on the path is allowed: the invariant CRC leaves the traffic class out.",
              "A sender that uses UDP port 4791 for something else looks the same."},
    .needs = {CounterId::RxIcrcErrors},
    .limits = {Limit{.name = "warn_per_hour",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "damaged packets in an hour that are a warning"},
               Limit{.name = "crit_per_min",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "damaged packets in a minute that are critical"}},
    .facts = {"ibta-icrc", "mlx5-q-counters"},
    .judge = judge,
};

}  // namespace roceready::rules

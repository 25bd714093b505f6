// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "core/base/text.h"
#include "rules/link/lanes.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

void judge(const Evidence& seen, Outcomes& out) {
  const Reading<FecFacts>& fec = seen.member().ethtool.fec;
  if (!fec && fec.absent().why == Why::NotSupported)
    return out.not_looked_at("never_shown", "the driver does not tell its FEC: " + fec.absent().detail, "");
  if (!fec) return out.unknown(fec.absent());
  if (!seen.member().link.carrier.value_or(true)) return out.not_applicable("the link is down");
  if (!fec->active) return out.unknown(fec->active.absent());
  if (*fec->active != "Off") return out.pass();
  const Reading<LaneRate> lane = lane_rate(seen);
  if (!lane) return out.unknown(lane.absent());
  if (!lane->pam4() && !lane->fast_nrz())
    return out.not_applicable("lanes of less than 25 Gbit/s run without FEC by design");
  if (seen.limit("allow_nofec") > 0) return out.not_applicable("rules.link-fec-off.allow_nofec permits it");

  const std::string& name = seen.member().link.name;
  const auto evidence = {seen.word("active FEC", "Off", "!=", "RS", "ethtool --show-fec " + name),
                         seen.item("rate of a lane", lane->bits_per_second, "bits/s", "ethtool " + name)};
  const std::string each = name + " runs without FEC on lanes of " + bit_rate(lane->bits_per_second);
  if (lane->pam4()) {
    out.fail(Severity::Critical, each + "; the standard requires it on such (PAM4) lanes.", evidence);
    return;
  }
  const Reading<std::string>& medium = seen.member().ethtool.medium;
  if (!medium) return out.unknown(medium.absent());
  if (*medium == "DirectAttach") {
    const Reading<double> length = field(seen.member().ethtool.module, &ModuleFacts::copper_length_metres);
    if (!length) return out.unknown({length.absent().why, "the length of its copper cable: " + length.absent().detail});
    if (*length <= seen.limit("short_copper_m")) return out.pass();
    out.fail(Severity::Warning,
             each + " over " + short_number(*length) + " m of copper; more than " +
                 short_number(seen.limit("short_copper_m")) + " m need it.",
             evidence);
    return;
  }
  out.fail(Severity::Warning, each + " over something else than a short copper cable (" + *medium + ").", evidence);
}

}  // namespace

extern const Rule kLinkFecOff;
constinit const Rule kLinkFecOff{
    .id = "link-fec-off",
    .family = "link",
    .action = Action::FixConfig,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kStatic,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "Link runs without FEC",
    .what =
        "Reads the active FEC, the rate of a lane and the kind of cable. Critical without FEC on PAM4 lanes (50 Gbit/s "
        "and more); a warning on lanes of 25 Gbit/s over anything but a short passive copper cable.",
    .why = "Bit errors that FEC would repair become lost packets, and RoCE resends a whole window for each.",
    .next = "Set RS-FEC on the NIC and on the switch port.",
    .likely_causes = {"FEC switched off on one end", "switch port configuration", "negotiation off"},
    .fix = {Recipe::Fec},
    .traps = {"25 Gbit/s over copper of up to 3 m may run without FEC: no finding, and unknown where the length is.",
              "Where the driver does not say which FEC is active nothing is said.", "Lanes of 10 Gbit/s need none."},
    .limits = {Limit{.name = "allow_nofec",
                     .value = 0,
                     .unit = "count",
                     .min = 0,
                     .max = 1,
                     .evidence = 'S',
                     .help = "1: links without FEC are meant so"},
               Limit{.name = "short_copper_m",
                     .value = 3,
                     .unit = "metres",
                     .min = 0,
                     .max = 100,
                     .evidence = 'S',
                     .help = "copper cable up to which 25 Gbit/s lanes may run without FEC"}},
    .facts = {"ethtool-fec-modes", "fec-required-on-pam4"},
    .judge = judge,
};

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <string>

#include "rules/ecn/cc_files.h"
#include "rules/shown.h"
#include "rules/together.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kMinute = 60;

void judge(const Evidence& seen, Outcomes& out) {
  if (heeds_no_marks(*seen.profile())) return out.not_applicable(no_marks(*seen.profile()));
  if (seen.profile()->congestion_control == CongestionControl::Other)
    return out.not_applicable("profile " + seen.profile()->name + " does not react to notifications");
  const Reading<Windows> ignored = seen.windows(CounterId::CnpIgnored, kMinute, 1);
  if (!readable(seen, out, CounterId::CnpIgnored, ignored)) return;
  const Reading<Windows> handled = seen.windows(CounterId::CnpHandled, kMinute, 1);
  if (!readable(seen, out, CounterId::CnpHandled, handled)) return;
  const double all = ignored->latest.amount + handled->latest.amount;
  const double share = all > 0 ? ignored->latest.amount / all : 0;
  if (ignored->latest.amount < seen.limit("min_ignored") || share < seen.limit("share"))
    return quiet(seen, out, kMinute);
  std::string sentence = port_name(seen) + " ignored " + counted(ignored->latest.amount, "congestion notification") +
                         " in the last " + duration_text(ignored->latest.seconds) + ", " + percent(share) +
                         " of those that it received.";
  const Severity severity =
      severity_of(ignored->complete.empty() ? Held::Once : Held::Sustained, Severity::Warning, sentence);
  out.fail(severity, sentence,
           {seen.item("share of congestion notifications ignored", share, "share", ">=", seen.limit("share"),
                      seen.source_of(CounterId::CnpIgnored)),
            seen.item("congestion notifications ignored", ignored->latest.amount, "packets",
                      seen.source_of(CounterId::CnpIgnored))})
      .derived_threshold = seen.limit_is_derived("share");
}

}  // namespace

extern const Rule kEcnCnpIgnored;
constinit const Rule kEcnCnpIgnored{
    .id = "ecn-cnp-ignored",
    .since = "0.3",
    .family = "ecn",
    .action = Action::FixConfig,
    .severities = {Severity::Warning, Severity::Info},
    .judged = kRate,
    .modes = kLossless | kLossy,
    .scope = Scope::Port,
    .title = "Congestion notifications are received and not acted on",
    .what =
        "Fires when at least 100 congestion notifications were ignored in a minute, and they are at least 1 % of "
        "those received.",
    .why = "This node goes on sending into a congested path.",
    .next = "Switch the reaction half (RP) of congestion control on for RoCE's priority.",
    .likely_causes = {"reaction (RP) is off on this priority", "notifications for queue pairs already closed"},
    .fix = {Recipe::Ecn},
    .traps = {"A few late ones for closed queue pairs are normal; hence the minimum.",
              "Designs that switched the reaction off on purpose are not judged."},
    .needs = {CounterId::CnpIgnored, CounterId::CnpHandled},
    .limits = {Limit{.name = "share",
                     .value = 0.01,
                     .unit = "share",
                     .min = 0,
                     .max = 1,
                     .evidence = 'D',
                     .help = "share of the notifications received that may be ignored"},
               Limit{.name = "min_ignored",
                     .value = 100,
                     .unit = "packets",
                     .min = 1,
                     .max = 1e9,
                     .evidence = 'D',
                     .help = "ignored notifications in a minute below which nothing is said"}},
    .facts = {"dcqcn-roles"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

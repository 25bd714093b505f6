// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "rules/link/link_history.h"
#include "rules/pcie/aer.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kWindow = 300, kMinute = 60;

void judge(const Evidence& seen, Outcomes& out) {
  constexpr CounterId kErrors = CounterId::PcieAerCorrectable;
  const std::vector<const PciFunction*> functions = functions_with_aer(seen, out);
  if (functions.empty()) return;
  const PciFunction* worst = nullptr;
  double errors = 0, rate = 0, observed = 0;
  for (const PciFunction* function : functions) {
    const GrowthOf growth = [&](double seconds, double ago) {
      return aer_increase(seen, *function, kErrors, seconds, ago);
    };
    const Reading<Increase> grown = outside_grace(seen, growth, kWindow, 0, Explained::ByHand);
    if (!grown) continue;
    observed = std::max(observed, grown->seconds);
    const Reading<Increase> minute = outside_grace(seen, growth, kMinute, 0, Explained::ByHand);
    // Errors are read every half minute and booked then: in a second alone they look like a burst.
    const double per_second = minute && minute->seconds >= kMinute / 2 ? minute->per_second() : 0;
    if (worst != nullptr && grown->amount <= errors) continue;
    worst = function;
    errors = grown->amount;
    rate = per_second;
  }
  if (worst == nullptr)
    return out.not_looked_at("longer_window", "PCIe errors were read once so far", "a longer --window, or the daemon");
  const bool critical = rate >= seen.limit("crit_per_s");
  if (!critical && errors < seen.limit("warn_5m")) {
    if (no_aer_hidden(seen, out, {"correctable"})) quiet_aer(out, kWindow, observed);
    return;
  }
  out.fail(critical ? Severity::Critical : Severity::Warning,
           "PCI function " + worst->address + (worst == seen.pci() ? " of " : ", the bridge above ") +
               netdev_name(seen) + ", repaired " + counted(errors, "PCIe error") + " in the last " +
               duration_text(observed) + (rate > 0 ? ", " + short_number(rate) + " each second at present" : "") + ".",
           {critical ? seen.item("PCIe errors repaired", rate, "events/s", ">=", seen.limit("crit_per_s"),
                                 aer_source(*worst, "correctable"))
                     : seen.item("PCIe errors repaired in 5 min", errors, "events", ">=", seen.limit("warn_5m"),
                                 aer_source(*worst, "correctable"))})
      .derived_threshold = seen.limit_is_derived(critical ? "crit_per_s" : "warn_5m");
}

}  // namespace

extern const Rule kPcieAerCorrectable;
constinit const Rule kPcieAerCorrectable{
    .id = "pcie-aer-correctable",
    .family = "pcie",
    .action = Action::Replace,
    .severities = {Severity::Critical, Severity::Warning},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe link repairs many errors",
    .what =
        "Reads the growth of correctable AER errors of the NIC and of the bridge above it. Warning at ten in five "
        "minutes, critical at a hundred each second.",
    .why =
        "Each repaired error is a packet sent again on the bus; a link like that soon runs narrower, slower or fails.",
    .next = "Reseat the card, check riser and slot, then update BIOS and NIC firmware.",
    .likely_causes = {"card not seated well", "riser or cable", "slot", "BIOS or NIC firmware", "ASPM"},
    .fix = {Recipe::Pcie, Recipe::Firmware},
    .traps = {"Where the firmware handles AER the kernel counts nothing: not looked at.",
              "A reset of the device makes a burst: 120 s after a driver or admin event nothing counts. A link of the "
              "network that goes and comes does not excuse the bus.",
              "Totals since boot are never judged.",
              "The limits are our own reasoning: critical only together with a finding of another family."},
    .needs = {CounterId::PcieAerCorrectable},
    .limits = {Limit{.name = "warn_5m",
                     .value = 10,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "repaired errors in five minutes that are a warning"},
               Limit{.name = "crit_per_s",
                     .value = 100,
                     .unit = "events/s",
                     .min = 0.1,
                     .max = 1e6,
                     .evidence = 'D',
                     .help = "repaired errors each second, over a minute, that are critical"}},
    .facts = {"kernel-pci-aer"},
    .weak = true,
    .judge = judge,
};

}  // namespace roceready::rules

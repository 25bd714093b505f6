// SPDX-License-Identifier: Apache-2.0
#include "rules/rule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rules/link/link_history.h"
#include "rules/pcie/aer.h"
#include "rules/wording.h"

namespace roceready::rules {
namespace {

constexpr double kDay = 86400, kNeededSeconds = 60;

struct Kind {
  const char* name;  ///< as in PciFunction::aer and the file's name
  CounterId id;
};
constexpr Kind kFatal{"fatal", CounterId::PcieAerFatal}, kNonfatal{"nonfatal", CounterId::PcieAerNonfatal};

/// A loss of carrier or a reset of the device is what such errors cause, so neither explains one. Enumeration makes
/// non-fatal ones.
Reading<Increase> growth_of(const Evidence& seen, const PciFunction& function, const Kind& kind) {
  const GrowthOf growth = [&](double seconds, double ago) {
    return aer_increase(seen, function, kind.id, seconds, ago);
  };
  if (kind.id == kFatal.id) return growth(kDay, 0);
  return outside_grace(seen, growth, kDay, 0, Explained::ByProbing);
}

void judge(const Evidence& seen, Outcomes& out) {
  const std::vector<const PciFunction*> functions = functions_with_aer(seen, out);
  if (functions.empty()) return;
  double observed = 0;
  bool known = false;
  std::string sentence;
  std::vector<EvidenceItem> evidence;
  for (const PciFunction* function : functions) {
    for (const Kind& kind : {kFatal, kNonfatal}) {
      const Reading<Increase> grown = growth_of(seen, *function, kind);
      if (!grown) continue;
      known = true;
      observed = std::max(observed, grown->seconds);
      if (grown->amount < seen.limit("crit_events")) continue;
      sentence += (sentence.empty() ? "" : " ") + std::string("PCI function ") + function->address +
                  (function == seen.pci() ? " of " : ", the bridge above ") + netdev_name(seen) + ", reported " +
                  counted(grown->amount, kind.name + std::string(" PCIe error")) + " in the last " +
                  duration_text(grown->seconds) + ".";
      evidence.push_back(seen.item(kind.name + std::string(" PCIe errors"), grown->amount, "events",
                                   ">=", seen.limit("crit_events"), aer_source(*function, kind.name)));
    }
  }
  if (!known)
    return out.not_looked_at("longer_window", "PCIe errors were read once so far", "a longer --window, or the daemon");
  if (evidence.empty()) {
    if (no_aer_hidden(seen, out, {kFatal.name, kNonfatal.name})) quiet_aer(out, kNeededSeconds, observed);
    return;
  }
  out.fail(Severity::Critical, sentence, std::move(evidence)).derived_threshold = seen.limit_is_derived("crit_events");
}

}  // namespace

extern const Rule kPcieAerUncorrectable;
constinit const Rule kPcieAerUncorrectable{
    .id = "pcie-aer-uncorrectable",
    .family = "pcie",
    .action = Action::Replace,
    .severities = {Severity::Critical},
    .judged = kRate,
    .modes = kAllModes,
    .scope = Scope::Member,
    .title = "PCIe link reports errors that it could not repair",
    .what =
        "Reads the growth of non-fatal and fatal AER errors of the NIC and of the bridge above it. Critical at the "
        "first "
        "one that was seen to happen in the last 24 hours.",
    .why = "Data on the bus was lost: the driver resets the NIC, or RDMA connections die.",
    .next = "Take the node out of service; reseat or replace the card, then look at riser, slot and BIOS.",
    .likely_causes = {"card not seated well", "riser, cable or slot", "defective NIC", "BIOS or NIC firmware"},
    .fix = {Recipe::Pcie, Recipe::Firmware},
    .traps =
        {"Enumeration makes unsupported-request errors: non-fatal ones do not count until 120 s after the driver set "
         "the device up.",
         "A fatal error counts whatever happened then: the reset and the link loss beside it are its effects.",
         "Where the firmware handles AER the kernel counts nothing: not looked at.",
         "Totals since boot are never judged."},
    .needs = {CounterId::PcieAerFatal, CounterId::PcieAerNonfatal},
    .limits = {Limit{.name = "crit_events",
                     .value = 1,
                     .unit = "count",
                     .min = 1,
                     .max = 1e6,
                     .evidence = 'T',
                     .help = "errors of one kind in 24 hours that are critical"}},
    .facts = {"kernel-pci-aer"},
    .judge = judge,
};

}  // namespace roceready::rules

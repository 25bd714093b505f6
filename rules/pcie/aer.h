// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rules/pcie/pcie_link.h"

namespace roceready::rules {

/// The functions whose errors tell of the NIC's link: the NIC and the bridge above it, where their errors are counted.
/// Empty: why nothing can be judged was written.
[[nodiscard]] inline std::vector<const PciFunction*> functions_with_aer(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return {};
  std::vector<const PciFunction*> both;
  for (const PciFunction* one : {nic, seen.bridge_above(*nic)})
    if (one != nullptr && one->aer) both.push_back(one);
  if (!both.empty()) return both;
  if (nic->aer.absent().why == Why::NotPresent)
    out.not_looked_at("never_shown", "PCI function " + nic->address + ": " + nic->aer.absent().detail,
                      "the log of BMC or BIOS");
  else
    out.unknown(nic->aer.absent());
  return {};
}

/// Growth of one kind of error of a function.
[[nodiscard]] inline Reading<Increase> aer_increase(const Evidence& seen, const PciFunction& function, CounterId id,
                                                    double seconds, double ago = 0) {
  return seen.history().increase(owner_of(function), id, kNoLane, seconds, ago);
}

[[nodiscard]] inline std::string aer_source(const PciFunction& function, const char* kind) {
  return "/sys/bus/pci/devices/" + function.address + "/aer_dev_" + kind;
}

/// Ends a rule that saw no error: pass when `seconds` of the past were observed, else "longer_window".
inline void quiet_aer(Outcomes& out, double seconds, double observed) {
  if (observed >= 0.9 * seconds) return out.pass();
  out.not_looked_at("longer_window",
                    "nothing seen in " + duration_text(observed) + "; to be sure takes " + duration_text(seconds),
                    "--window " + std::to_string(static_cast<long>(seconds)) + "s, or the daemon");
}

}  // namespace roceready::rules

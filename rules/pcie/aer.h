// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/pcie/pcie_link.h"

namespace roceready::rules {

/// Both ends of the NIC's link: the NIC and the bridge above it, null where there is none.
[[nodiscard]] inline std::array<const PciFunction*, 2> ends_of(const Evidence& seen, const PciFunction& nic) {
  return {&nic, seen.bridge_above(nic)};
}

/// The functions whose errors tell of the NIC's link, where their errors are counted. Empty: why nothing can be judged
/// was written.
[[nodiscard]] inline std::vector<const PciFunction*> functions_with_aer(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return {};
  std::vector<const PciFunction*> both;
  for (const PciFunction* one : ends_of(seen, *nic))
    if (one != nullptr && one->aer) both.push_back(one);
  if (!both.empty()) return both;
  if (nic->aer.absent().why == Why::NotPresent)
    out.not_looked_at("never_shown", "PCI function " + nic->address + ": " + nic->aer.absent().detail,
                      "the log of BMC or BIOS");
  else
    out.unknown(nic->aer.absent());
  return {};
}

/// Why errors of a function that counts them could not be read; nothing where they were, or where nobody counts.
[[nodiscard]] inline std::optional<Absent> aer_refused(const PciFunction& function,
                                                       std::initializer_list<const char*> kinds) {
  if (!function.aer) {
    if (function.aer.absent().why == Why::NotPresent) return std::nullopt;
    return function.aer.absent();
  }
  for (const char* kind : kinds)
    if (function.aer->find(kind) == function.aer->end())
      return Absent{Why::NotPresent, std::string("aer_dev_") + kind + " of " + function.address + " was not read"};
  return std::nullopt;
}

/// For a rule that saw no error: an end whose errors are counted and cannot be read may hide one. `kinds` are keys of
/// PciFunction::aer. True where nothing is hidden; else that was written.
[[nodiscard]] inline bool no_aer_hidden(const Evidence& seen, Outcomes& out, std::initializer_list<const char*> kinds) {
  for (const PciFunction* one : ends_of(seen, *seen.pci())) {
    const std::optional<Absent> why = one != nullptr ? aer_refused(*one, kinds) : std::nullopt;
    if (!why) continue;
    out.unknown(*why);
    return false;
  }
  return true;
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

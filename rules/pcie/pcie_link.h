// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/wording.h"

namespace roceready::rules {

/// The PCI function of the member (or port). Null: why it cannot be judged was written.
[[nodiscard]] inline const PciFunction* judged_function(const Evidence& seen, Outcomes& out) {
  const PciFunction* nic = seen.pci();
  if (nic != nullptr) return nic;
  const Reading<std::string>& address = seen.port().pci_address;
  if (!address && address.absent().why == Why::NotPresent)
    out.not_applicable("no PCI function behind it");
  else
    out.unknown(address ? Absent{Why::NotPresent, "no PCI function " + *address} : address.absent());
  return nullptr;
}

/// Bits per second that a PCIe link carries in one direction: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, then flits
/// of 256 bytes with 242 of payload. Packet headers are not taken off.
[[nodiscard]] inline double link_capacity(double transfers_per_second, double lanes) {
  const double payload = transfers_per_second <= 5e9    ? 8.0 / 10
                         : transfers_per_second <= 32e9 ? 128.0 / 130
                                                        : 242.0 / 256;
  return transfers_per_second * lanes * payload;
}

/// What the link of a function carries now. For a bridge: of the link that its files describe.
[[nodiscard]] inline Reading<double> capacity_of(const PciFunction& function) {
  if (!function.current_speed) return function.current_speed.absent();
  if (!function.current_width) return function.current_width.absent();
  if (*function.current_speed == 0 || *function.current_width == 0)
    return Absent{Why::Malformed, "PCI function " + function.address + " says 0"};
  return link_capacity(static_cast<double>(*function.current_speed), *function.current_width);
}

/// "16 GT/s on 8 lanes".
[[nodiscard]] inline std::string link_words(const PciFunction& function) {
  return transfer_rate(static_cast<double>(function.current_speed.value_or(0))) + " on " +
         counted(function.current_width.value_or(0), "lane");
}

/// The bridges above a function, nearest first; bounded, as hostile snapshots may hold a circle.
[[nodiscard]] inline std::vector<const PciFunction*> bridges_above(const Evidence& seen, const std::string& parent) {
  constexpr std::size_t kMaxDepth = 32;
  std::vector<const PciFunction*> out;
  for (const PciFunction* bridge = seen.now().function(parent); bridge != nullptr && out.size() < kMaxDepth;
       bridge = seen.now().function(bridge->parent))
    out.push_back(bridge);
  return out;
}

/// The PCIe link of the NIC judged: what it does now, and what both of its ends can do.
template <class T>
struct PcieEnds {
  T current = 0, expected = 0;
  bool slot_known = false;  ///< the bridge above could be asked; else `expected` is the NIC's own limit alone
};

/// Current and expected value of one property of the NIC's own link. Writes why it cannot be judged, and returns
/// nothing.
template <class T>
[[nodiscard]] std::optional<PcieEnds<T>> pcie_ends(const Evidence& seen, Outcomes& out,
                                                   Reading<T> PciFunction::*current, Reading<T> PciFunction::*max) {
  const PciFunction* nic = judged_function(seen, out);
  if (nic == nullptr) return std::nullopt;
  for (const Reading<T>* reading : {&(nic->*current), &(nic->*max)}) {
    if (reading->has_value() && **reading != 0) continue;
    out.unknown(reading->has_value() ? Absent{Why::Malformed, "PCI function " + nic->address + " says 0"}
                                     : reading->absent());
    return std::nullopt;
  }
  PcieEnds<T> ends{*(nic->*current), *(nic->*max), false};
  const PciFunction* bridge = seen.bridge_above(*nic);
  for (const PciFunction* end : {nic, bridge}) {
    if (end == nullptr || !(end->*max).has_value() || *(end->*max) == 0 || *(end->*max) >= ends.current) continue;
    out.unknown(
        Absent{Why::Malformed, "PCI function " + end->address + " says that it can do less than the link does"});
    return std::nullopt;
  }
  if (bridge != nullptr && (bridge->*max).has_value() && *(bridge->*max) != 0) {
    ends.slot_known = true;
    ends.expected = std::min(ends.expected, *(bridge->*max));
  }
  return ends;
}

[[nodiscard]] inline std::string pci_source(const Evidence& seen, const std::string& file) {
  return "/sys/bus/pci/devices/" + seen.pci()->address + "/" + file;
}

/// How sure a degraded link is. Without the bridge's word the slot may be built that way, and in a virtual machine the
/// link may be an emulated one.
[[nodiscard]] inline double pcie_confidence(const Evidence& seen, bool slot_known) {
  return slot_known && !seen.now().host.virtual_machine.value_or(false) ? 1.0 : 0.6;
}

}  // namespace roceready::rules

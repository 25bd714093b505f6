// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "rules/log_facts.h"
#include "rules/rule.h"

namespace roceready::rules {

// What perftest measured by given files, and of what.

/// The best result of large messages.
struct Best {
  const LogFact* fact = nullptr;
  double bits_per_second = 0;
};

/// The port that a measurement names, the only one where it names none.
[[nodiscard]] inline const RdmaPort* port_of(const Snapshot& now, const LogFact& fact) {
  if (fact.subject.empty()) return now.ports.size() == 1 ? now.ports.data() : nullptr;
  for (const RdmaPort& port : now.ports) {
    if (port.device == fact.subject) return &port;
  }
  return nullptr;
}

/// The best of each RDMA device, sorted by its name, so that a good one hides no slow one. Measurements that name no
/// device are of the only port, else of a device "" of their own. What ran at a limit of its own shows no best.
[[nodiscard]] inline std::map<std::string, Best> best_of_each(const Evidence& seen) {
  constexpr double kLargeMessage = 65536;
  std::map<std::string, Best> out;
  const LogEntries entries = log_entries(seen, {"measured_bandwidth"});
  for (const LogFact* fact : entries.facts) {
    const std::optional<double> bytes = stated_number(*fact, "message_bytes");
    const std::optional<double> rate = stated_number(*fact, "bits_per_second");
    if (fact->says.contains("rate_limit")) continue;
    if (!rate || (bytes && *bytes < kLargeMessage)) continue;
    const RdmaPort* port = port_of(seen.now(), *fact);
    Best& best = out[port != nullptr ? port->device : fact->subject];
    if (best.fact == nullptr || *rate > best.bits_per_second) best = {fact, *rate};
  }
  return out;
}

/// The best of all devices.
[[nodiscard]] inline Best best_of(const Evidence& seen) {
  Best out;
  for (const auto& [device, best] : best_of_each(seen))
    if (out.fact == nullptr || best.bits_per_second > out.bits_per_second) out = best;
  return out;
}

[[nodiscard]] inline Reading<std::uint64_t> speed_of(const Snapshot& now, const RdmaPort& port) {
  const Netdev* netdev = port.netdev ? now.netdev(*port.netdev) : nullptr;
  if (netdev == nullptr) return Absent{Why::NotRecorded, "the netdev of " + port.device + " is not known"};
  return field(netdev->ethtool.link_modes, &LinkModes::speed_bits_per_second);
}

/// Bits per second that the function's PCIe link carries, by lanes and transfer rate, without its coding.
[[nodiscard]] inline Reading<double> slot_of(const Snapshot& now, const RdmaPort& port) {
  const PciFunction* function = port.pci_address ? now.function(*port.pci_address) : nullptr;
  if (function == nullptr) return Absent{Why::NotRecorded, "its PCI function is not known"};
  if (!function->current_speed) return function->current_speed.absent();
  if (!function->current_width) return function->current_width.absent();
  return static_cast<double>(*function->current_speed) * static_cast<double>(*function->current_width);
}

/// Ports over which the port's netdev spreads connections: members of a bond that uses all of them. 1: one alone.
[[nodiscard]] inline std::size_t spread_over(const Snapshot& now, const RdmaPort& port) {
  constexpr std::uint32_t kBalanceXor = 2, kLacp = 4;
  const Netdev* netdev = port.netdev ? now.netdev(*port.netdev) : nullptr;
  if (netdev == nullptr || !netdev->link.bond) return 1;
  const std::uint32_t mode = netdev->link.bond->mode;
  return mode == kBalanceXor || mode == kLacp ? std::max<std::size_t>(port.members.size(), 1) : 1;
}

}  // namespace roceready::rules

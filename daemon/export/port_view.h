// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/reading.h"
#include "core/snapshot/snapshot.h"
#include "rules/report.h"

namespace roceready::daemon {

/// A physical netdev of a port with the facts that views show. Pointers live as long as the snapshot.
struct MemberView {
  std::string name;
  const Netdev* facts = nullptr;     ///< null: the snapshot has no such netdev
  const PciFunction* pci = nullptr;  ///< null: no PCI function
  Reading<std::uint64_t> speed_bits_per_second;
};

/// A judged port beside its facts: the one walk that text, JSON, metrics and /api share.
struct PortView {
  const rules::PortReport* judged = nullptr;
  const RdmaPort* facts = nullptr;  ///< null: an expected port that is not there
  std::vector<MemberView> members;
  const PciFunction* pci = nullptr;
  std::string netdev;  ///< the port's own netdev (a bond under LAG), "" where there is none
  Reading<std::string> driver, firmware;
  Reading<std::uint64_t> speed_bits_per_second;  ///< sum over the members; absent while one of them is
  Reading<std::uint32_t> mtu;                    ///< of the port's own netdev
  Reading<bool> carrier;                         ///< all members have carrier
  Reading<std::uint32_t> gid_index;              ///< lowest RoCE v2 entry with a routable address, IPv4 before IPv6
  std::vector<std::string> roce_versions;        ///< "v1", "v2" as the GID table has them
  [[nodiscard]] std::string name() const;        ///< "mlx5_0/1"
};

[[nodiscard]] std::vector<PortView> port_views(const rules::Report& report);

/// Priorities of an 8-bit mask, in order.
[[nodiscard]] std::vector<std::uint8_t> priorities_of(std::uint32_t mask);

}  // namespace roceready::daemon

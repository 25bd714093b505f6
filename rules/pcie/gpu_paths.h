// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/pcie/pcie_link.h"

namespace roceready::rules {

/// How near a NIC is to a GPU, nearest first.
enum class GpuDistance {
  SameSwitch,  ///< they share a bridge below the root port: peer traffic need not leave the switch
  SameRoot,    ///< the same root port alone
  SameNode,    ///< through the root complex of one socket
  OtherNode,   ///< between sockets
};

/// Nearest bridge above both, as its distance in steps from the GPU and from the NIC; nothing when they share none.
struct CommonBridge {
  std::size_t from_gpu = 0, from_nic = 0;
};
[[nodiscard]] inline std::optional<CommonBridge> common_bridge(const std::vector<const PciFunction*>& above_gpu,
                                                               const std::vector<const PciFunction*>& above_nic) {
  for (std::size_t g = 0; g < above_gpu.size(); ++g) {
    const auto at = std::find(above_nic.begin(), above_nic.end(), above_gpu[g]);
    if (at != above_nic.end()) return CommonBridge{g, static_cast<std::size_t>(at - above_nic.begin())};
  }
  return std::nullopt;
}

/// Distance of a NIC and a GPU; absent where they share no bridge and a NUMA node is not known.
[[nodiscard]] inline Reading<GpuDistance> distance_of(const Evidence& seen, const Gpu& gpu, const PciFunction& nic) {
  const auto above_gpu = bridges_above(seen, gpu.parent), above_nic = bridges_above(seen, nic.parent);
  if (const auto common = common_bridge(above_gpu, above_nic))
    return common->from_nic + 1 < above_nic.size() ? GpuDistance::SameSwitch : GpuDistance::SameRoot;
  if (!gpu.numa_node) return gpu.numa_node.absent();
  if (!nic.numa_node) return nic.numa_node.absent();
  if (*gpu.numa_node < 0 || *nic.numa_node < 0)
    return Absent{Why::NotPresent, "the platform does not say on which NUMA node the NIC or the GPU is"};
  return *gpu.numa_node == *nic.numa_node ? GpuDistance::SameNode : GpuDistance::OtherNode;
}

/// Bits of the ACS control register that send peer traffic up to the root: request and completion redirect. Upstream
/// forwarding alone redirects nothing.
inline constexpr std::uint32_t kAcsRedirects = 0x04 | 0x08;

/// The bridges on the way between a GPU and the NIC, those of both branches below the bridge that they share. That
/// one's own link is not on the way. Empty: no shared bridge.
[[nodiscard]] inline std::vector<const PciFunction*> bridges_between(const Evidence& seen, const Gpu& gpu,
                                                                     const PciFunction& nic) {
  const auto above_gpu = bridges_above(seen, gpu.parent), above_nic = bridges_above(seen, nic.parent);
  const auto common = common_bridge(above_gpu, above_nic);
  std::vector<const PciFunction*> out;
  if (!common) return out;
  for (std::size_t k = 0; k < common->from_gpu; ++k) out.push_back(above_gpu[k]);
  for (std::size_t k = 0; k < common->from_nic; ++k) out.push_back(above_nic[k]);
  if (out.empty()) out.push_back(above_gpu[common->from_gpu]);
  return out;
}

/// Addresses of the bridges between the NIC and GPUs that redirect peer traffic, each once.
[[nodiscard]] inline std::vector<std::string> bridges_that_redirect(const Evidence& seen) {
  std::vector<std::string> out;
  const PciFunction* nic = seen.pci();
  if (nic == nullptr || !seen.now().gpus) return out;
  for (const Gpu& gpu : *seen.now().gpus) {
    for (const PciFunction* bridge : bridges_between(seen, gpu, *nic))
      if ((bridge->acs_control.value_or(0) & kAcsRedirects) != 0) out.push_back(bridge->address);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace roceready::rules

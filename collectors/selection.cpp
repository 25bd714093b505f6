// SPDX-License-Identifier: Apache-2.0
#include "collectors/selection.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "core/snapshot/rdma.h"

namespace roceready {

bool pattern_means(const std::string& pattern, const std::string& device, std::uint32_t port, const std::string& netdev,
                   const std::string& pci) {
  return matches_pattern(pattern, device) || matches_pattern(pattern, device + "/" + std::to_string(port)) ||
         (!netdev.empty() && matches_pattern(pattern, netdev)) || (!pci.empty() && matches_pattern(pattern, pci));
}

bool Selection::excludes_device(const std::string& device) const {
  return std::any_of(exclude.begin(), exclude.end(), [&](const std::string& pattern) {
    const bool all_ports = pattern.ends_with("/*");
    return matches_pattern(std::string_view(pattern).substr(0, pattern.size() - (all_ports ? 2 : 0)), device);
  });
}

bool Selection::excludes_port(const std::string& device, std::uint32_t port) const {
  return excludes_device(device) || std::any_of(exclude.begin(), exclude.end(), [&](const std::string& pattern) {
           return pattern_means(pattern, device, port, "");
         });
}

bool Selection::excludes_netdev(const std::string& netdev) const {
  return std::any_of(exclude.begin(), exclude.end(),
                     [&](const std::string& pattern) { return matches_pattern(pattern, netdev); });
}

bool Selection::excludes(const RdmaPort& port) const {
  return excludes_port(port.device, port.port) || (port.netdev && excludes_netdev(*port.netdev)) ||
         std::any_of(port.members.begin(), port.members.end(),
                     [&](const std::string& member) { return excludes_netdev(member); });
}

bool Selection::names(const std::string& device, std::uint32_t port, const std::string& netdev,
                      const std::string& pci) const {
  const auto means = [&](const std::string& pattern) { return pattern_means(pattern, device, port, netdev, pci); };
  return std::any_of(include.begin(), include.end(), means) || std::any_of(expected.begin(), expected.end(), means);
}

}  // namespace roceready

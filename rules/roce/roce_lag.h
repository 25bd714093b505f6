// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// The bond that the port is or stands under; null where there is none.
[[nodiscard]] inline const Netdev* bond_of(const Evidence& seen) {
  std::vector<std::string> names = seen.port().uppers;
  if (seen.port().netdev) names.push_back(*seen.port().netdev);
  for (const std::string& name : names) {
    const Netdev* netdev = seen.now().netdev(name);
    if (netdev != nullptr && netdev->link.kind == "bond") return netdev;
  }
  return nullptr;
}

}  // namespace roceready::rules

// SPDX-License-Identifier: Apache-2.0
#include "rules/waivers.h"

#include <algorithm>

namespace roceready::rules {

bool Attestation::covers(const std::string& rule, const RdmaPort& on) const {
  if (check != rule) return false;
  return port.empty() || port == on.device || port == on.device + "/" + std::to_string(on.port) ||
         port == on.netdev.value_or("") || port == on.pci_address.value_or("") ||
         std::find(on.members.begin(), on.members.end(), port) != on.members.end();
}

}  // namespace roceready::rules

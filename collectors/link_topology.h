// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collectors/collector.h"
#include "core/snapshot/link.h"

namespace roceready {

/// Physical netdevs below a port's netdev: members of a bond, parent of a VLAN, else the netdev itself. Sorted.
[[nodiscard]] std::vector<std::string> members_below(const Context& context, const std::string& netdev);
/// Bond, bridge, VRF and VLAN netdevs above any of these, however high, without the given ones. Sorted, at most 64.
[[nodiscard]] std::vector<std::string> uppers_above(const Context& context, const std::vector<std::string>& netdevs);
/// "pf0vf1", "c1pf0sf3": the netdev represents somebody else's function.
[[nodiscard]] bool is_representor_name(std::string_view phys_port_name);

}  // namespace roceready

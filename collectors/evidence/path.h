// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectors/evidence/split.h"

namespace roceready::evidence {

/// What the path of a file says: sosreport's host, a role ("sender", "receiver", "client", "server" in the name: two
/// ends of one run are two hosts), the moment ("t0", "t1", "before", "after"), an RDMA device or a netdev, a time, and
/// the command for a name like "ethtool_-S_eth0" or "ip_-d_address".
[[nodiscard]] FileFacts facts_of_path(std::string_view path);

/// The path below the root of a copied /sys or /proc tree: "/sys/class/net/eth0/mtu". Nothing for any other path.
[[nodiscard]] std::optional<std::string> kernel_path(std::string_view path);

}  // namespace roceready::evidence

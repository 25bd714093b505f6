// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/snapshot/rdma.h"

namespace roceready::rules {

/// Whether an entry of a GID table belongs to a netdev of another network namespace: the kernel names no netdev of this
/// one, or refuses to tell what the entry is.
[[nodiscard]] bool is_of_other_namespace(const GidEntry& entry);

/// The entry that programs of this network namespace find first: of type RoCE v2 with a routable address, IPv4 before
/// IPv6, then the lowest index. Null where there is none.
[[nodiscard]] const GidEntry* usable_gid(const std::vector<GidEntry>& table);

}  // namespace roceready::rules

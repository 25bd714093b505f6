// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/snapshot/snapshot.h"

namespace roceready {

/// What this node tells its peers of one port, from a snapshot that holds it. What the port's netdev would say is that
/// of its first member. `rail` is left empty: no snapshot knows it.
[[nodiscard]] PortDigest digest_of(const Snapshot& snapshot, const RdmaPort& port);
/// The same of the node: ports in scope, in the snapshot's order.
[[nodiscard]] NodeDigest digest_of(const Snapshot& snapshot, const std::string& profile, const std::string& role);

}  // namespace roceready

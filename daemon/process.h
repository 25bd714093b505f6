// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/export/prometheus.h"

namespace roceready::daemon {

/// What this process has used so far. The first call is taken for its start.
[[nodiscard]] ProcessFacts process_facts();

/// Lets this process open as many files as it may, 65536 at most: each connection of a mesh has a descriptor, and where
/// services begin with 1024, seven ports to fifty peers would leave none to read the host with. Where it may not, the
/// limit stays.
void raise_descriptor_limit();

}  // namespace roceready::daemon

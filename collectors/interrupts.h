// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Where the message-signalled interrupts of the PCI functions of ports in scope are handled. Looks at no more than 32
/// of a function, evenly chosen: a port has as many as the machine has CPUs.
[[nodiscard]] std::vector<NicInterrupts> read_interrupts(Files& files, const Snapshot& snapshot);

}  // namespace roceready

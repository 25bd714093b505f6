// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/host/host.h"
#include "core/snapshot/snapshot.h"

namespace roceready {

/// Locked-memory limits of those systemd units that exist here: of a running process, else of the unit's files, else
/// systemd's default.
[[nodiscard]] std::vector<MemlockLimit> read_memlock_limits(Files& files, const std::vector<std::string>& units);
/// DefaultLimitMEMLOCK of systemd's configuration, else the soft limit of this program.
[[nodiscard]] Reading<std::uint64_t> read_default_memlock(Files& files);

}  // namespace roceready

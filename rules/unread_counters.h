// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/snapshot/snapshot.h"
#include "rules/report.h"

namespace roceready::rules {

/// Where not one counter of loss or transport is shown of a port, neither by its network devices nor by its RDMA
/// device: why, and what settles it. Nothing where there is one, or where the drivers' tables have none to show.
[[nodiscard]] std::optional<Gap> counters_unread(const Snapshot& now, const RdmaPort& port);

}  // namespace roceready::rules

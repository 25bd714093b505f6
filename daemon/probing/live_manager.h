// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/cm/manager.h"

namespace roceready::daemon {

/// This machine's RDMA connection manager; a build without RDMA libraries has none, and it says so.
[[nodiscard]] std::unique_ptr<probes::cm::Manager> live_manager();

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/cm/manager.h"

namespace roceready::probes::cm {

/// On librdmacm of this host. The library keeps a device that it used open until the process ends.
[[nodiscard]] std::unique_ptr<Manager> make_live_manager();

}  // namespace roceready::probes::cm

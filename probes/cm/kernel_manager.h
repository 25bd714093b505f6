// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/cm/kernel.h"
#include "probes/cm/manager.h"

namespace roceready::probes::cm {

/// The kernel's connection manager. Nothing is open between calls and listeners.
[[nodiscard]] std::unique_ptr<Manager> make_kernel_manager(OpenKernel open = open_kernel);

}  // namespace roceready::probes::cm

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/cm/kernel.h"
#include "probes/cm/manager.h"

namespace roceready::probes::cm {

/// Manager::call on a kernel of its own.
[[nodiscard]] Outcome make_call(const OpenKernel& open, const Call& call, const std::stop_token& stop);

/// Whether an application's connection fails so for the path's sake: no answer, no route. Any other errno is a want of
/// this host, of its program or its permissions: another network namespace, no memory, no such device.
[[nodiscard]] bool is_of_the_path(int errno_value);

}  // namespace roceready::probes::cm

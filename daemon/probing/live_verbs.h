// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "probes/verbs/verbs.h"

namespace roceready::daemon {

/// This machine's RDMA ports; of a build without libibverbs, none, and it says so. To be made before there are threads
/// (probes/verbs/live_verbs.h).
[[nodiscard]] std::unique_ptr<probes::verbs::Verbs> live_verbs();

}  // namespace roceready::daemon

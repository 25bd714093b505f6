// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/export/prometheus.h"

namespace roceready::daemon {

/// What this process has used so far. The first call is taken for its start.
[[nodiscard]] ProcessFacts process_facts();

}  // namespace roceready::daemon

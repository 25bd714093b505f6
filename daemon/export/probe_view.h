// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "daemon/export/paint.h"
#include "probes/probe_result.h"

namespace roceready::daemon {

/// `{"peers": [...]}`, as product.md 2 has it; times in seconds, what is not known is null.
[[nodiscard]] std::string probe_results_json(const std::vector<probes::ProbeResult>& results);
/// A line a peer, and below it what is wrong.
[[nodiscard]] std::string probe_results_text(const std::vector<probes::ProbeResult>& results, const Paint& paint);

/// The worst of all peers: 0 all well, 1 loss or a rewritten class was seen, 2 a peer was not reached, 3 probes could
/// not be made.
[[nodiscard]] int probe_exit_code(const std::vector<probes::ProbeResult>& results);

}  // namespace roceready::daemon

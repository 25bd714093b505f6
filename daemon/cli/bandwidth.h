// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/settings.h"
#include "daemon/cli/terminal.h"
#include "probes/bandwidth.h"
#include "probes/peers.h"

namespace roceready::daemon::cli {

/// `probe --kind bandwidth` and `--kind loopback`, understood.
struct BandwidthWish {
  std::vector<probes::PeerAddress> peers;  ///< none: a loopback
  probes::BandwidthPlan plan;
  config::Settings settings;
  bool json = false;
};

/// Measures to one peer after the other, looks at this node around it, prints what was found and what the rules say of
/// it. Returns the exit code.
[[nodiscard]] int measure_bandwidth(const BandwidthWish& wish, Terminal& terminal);

}  // namespace roceready::daemon::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/snapshot/log.h"

namespace roceready::evidence {

/// The RDMA device, and the netdev with its PCI function, that lines of logs name; "" where they name none or several.
/// Links that have not come up since the node started name nobody: they may be unused.
struct NamesInLogs {
  std::string device, netdev, function;
};
[[nodiscard]] NamesInLogs names_in_logs(const std::vector<LogFact>& log);

}  // namespace roceready::evidence

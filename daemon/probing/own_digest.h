// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/snapshot/probe.h"
#include "rules/report.h"

namespace roceready::daemon {

/// What this node tells its peers of itself. Settings are told as they are; what moves is told anew every 30 s at most,
/// as the mean since then and in few steps, since each change makes every peer ask for it. Threads: one at a time.
class OwnDigest {
 public:
  /// From the newest report, which has a snapshot. `now_ns`: monotonic.
  [[nodiscard]] NodeDigest take(const rules::Report& report, std::int64_t now_ns);

 private:
  struct Mean {
    double sum = 0;
    std::uint32_t count = 0;
    Absent why{Why::NotRecorded, ""};  // while there is none
    void add(const Reading<double>& value);
    [[nodiscard]] Reading<double> in_steps() const;
  };
  struct Means {
    Mean rx_pause, tx_pause, rx_line;
  };
  struct Moving {
    Reading<std::map<std::string, std::string>> findings;
    Reading<double> rx_pause, tx_pause, rx_line;
  };
  std::map<std::string, Means> means_;  // by port, "mlx5_0/1"
  std::map<std::string, Moving> told_;
  std::int64_t due_ns_ = 0;
};

/// The largest of the steps 0, 0.1 %, 1 %, 5 %, 20 %, 50 %, 80 %, 95 % that is not above a share.
[[nodiscard]] double step_below(double share);

}  // namespace roceready::daemon

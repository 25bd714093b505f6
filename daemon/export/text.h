// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rules/report.h"

namespace roceready::daemon {

struct TextOptions {
  bool verbose = false;  ///< info findings, evidence with sources, all that was not looked at, waived
  bool colour = false;   ///< terminals only; the caller knows
};

/// The report for a tired person: verdict first, then what to fix, then a line a port, then what is not known.
[[nodiscard]] std::string report_text(const rules::Report& report, const TextOptions& options = {});

/// `mlx5_0/1 eth2 priority 3`, `this node`.
[[nodiscard]] std::string subject_text(const Subject& subject);
/// "400 Gb/s"; "?" when absent.
[[nodiscard]] std::string speed_text(const Reading<std::uint64_t>& bits_per_second);

}  // namespace roceready::daemon

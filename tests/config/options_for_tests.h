// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace roceready::config {

/// The program's options and a few limits in the form in which rules bring theirs.
inline std::vector<Option> options_for_tests() {
  std::vector<Option> options = program_options({{"lossy-ecn", "not-roce", "nvidia-lossless"},
                                                 {"broadcom-lossless", "nvidia-lossless"},
                                                 {"converged", "dedicated-nic"},
                                                 {"gpu", "vm-host"},
                                                 {"link-down", "pfc-disabled"},
                                                 {"link-down"}});
  using T = OptionType;
  options.push_back({"rules.pfc-storm-rx.storm_share", T::Share, "share of time", "0.99", 0, 1, {}, "Pause share."});
  options.push_back({"rules.pfc-storm-rx.samples", T::Integer, "count", "2", 1, 60, {}, "Samples in a row."});
  options.push_back({"rules.link-flap.window", T::Duration, "s", "1h", 60, 86400, {}, "Window of the count."});
  options.push_back({"rules.transport-seq-err.warn", T::Number, "share", "1e-7", 0, 1, {}, "Share of packets."});
  options.push_back({"rules.link-flap.enabled", T::Boolean, "", "true", {}, {}, {}, "Only to test the type."});
  options.push_back({"profile_overrides.roce_dscp", T::Integer, "", "", 0, 63, {}, "DSCP of RoCE.", true});
  options.push_back({"profile_overrides.pfc_priorities", T::TextList, "priority", "", 0, 7, {}, "With PFC.", true});
  return options;
}

}  // namespace roceready::config

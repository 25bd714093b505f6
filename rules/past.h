// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/subject.h"
#include "core/base/time.h"
#include "rules/report.h"

namespace roceready::rules {

/// A setting that differs from the accepted one.
struct SettingDrift {
  Subject subject;   ///< port, or port and member
  std::string what;  ///< "pfc", "trust", "dscp_to_priority", "ets", "buffers", "tos", "congestion control …"
  std::string accepted, now;
  std::int64_t accepted_wall_ns = 0;  ///< since when `accepted` counts
  Instant since;                      ///< when the change was seen
  bool after_reboot = false;          ///< it was seen for the first time in another boot than the value before
};

/// What a daemon knows from earlier than its own history: it comes from the state directory, not from the host.
struct Past {
  bool settings_kept = false;  ///< settings are compared with what was accepted
  std::vector<SettingDrift> drift;
  std::vector<Gap> gaps;  ///< why something of it is missing; for not_looked_at
};

}  // namespace roceready::rules

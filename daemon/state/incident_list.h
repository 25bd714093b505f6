// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "rules/incidents.h"

namespace roceready::daemon {

using IncidentPtr = std::shared_ptr<const rules::Incident>;

/// Incidents as everybody outside the sampling thread sees them. Immutable.
struct IncidentList {
  std::vector<IncidentPtr> incidents;  ///< by begin, oldest first
  bool complete = true;                ///< false: older ones exist in the state directory
};

}  // namespace roceready::daemon

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/snapshot/probe.h"

namespace roceready::daemon {

/// JSON of the facts within the bounds of core/snapshot/probe_json.h. Where all do not fit, whole peers are left out of
/// `facts` (all that any port knows of them, and their digest), and counted in `peers_left_out`: what is told of a peer
/// is complete, so that no rule takes a missing detail for a fact. Silent peers are told first, then those that lose or
/// change probes, other faults, those of which too little is known, and the others; among equals the same ones each
/// time. So that faults are not taken for more common than they are, `fine_left_out` counts what is fine.
/// Cost: to write what fits, twice where not all does.
[[nodiscard]] std::string fitting_results(ProbeFacts& facts);

}  // namespace roceready::daemon

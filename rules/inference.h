// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/snapshot/snapshot.h"
#include "rules/engine.h"

namespace roceready::rules {

/// Name that stands for "RoCE QoS was never configured here". Nobody can state it, and it is never kept: it is what a
/// node has before somebody decides.
inline constexpr const char* kUnconfigured = "unconfigured";

/// What one state of a node says about its design.
struct Inference {
  std::optional<KeptProfile> profile;  ///< `since` is left at 0
  std::string why_not;                 ///< why there is none, a sentence without its end
};

/// Looks at all RoCE ports in scope. They must agree, and nothing may contradict the design that they show: what is
/// half configured may be a fault, and a fault must not become the expectation. Order of evidence: docs/profiles.md.
[[nodiscard]] Inference infer_profile(const Snapshot& now);

/// PFC, classification and default ToS of this port are as it came from the factory, as far as they can be read.
[[nodiscard]] bool never_configured(const Snapshot& now, const RdmaPort& port);

/// How much a guess weighs: it gives way only to a heavier one, so that a setting that gets lost never changes it.
[[nodiscard]] int weight_of(const KeptProfile& guess);

}  // namespace roceready::rules

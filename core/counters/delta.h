// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/counters/counter.h"

namespace roceready {

/// What lay between two readings of one counter.
enum class Continuity { Continuous, Wrapped, Reset };

struct Delta {
  std::uint64_t increase = 0;  ///< raw units; 0 after a reset
  Continuity continuity = Continuity::Continuous;
};

/// Increase between two raw readings. A backwards step of a counter narrower than 64 bits whose modulo-2^width distance
/// is below a quarter of the range is a wrap; every other backwards step is a reset: a new baseline, never a rate. A
/// forward jump of half of the 64-bit range or more is a reset too, and so is a step to or from a value that the width
/// cannot hold; between two such values the counter is taken for a wider one. Source: rules.md 1.5.4 (mlx5 q-counters
/// are 32-bit).
[[nodiscard]] Delta delta_of(std::uint64_t before, std::uint64_t now, std::uint8_t width);

}  // namespace roceready

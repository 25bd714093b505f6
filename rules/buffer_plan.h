// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "rules/rule.h"

namespace roceready::rules {

/// Bytes that still arrive after this port said pause, and one frame of working room; `mtu` in bytes. Source: mlx5's
/// own formula for its receive buffers.
[[nodiscard]] double headroom_bytes(double metres, double gigabits_per_second, double mtu);

/// Receive buffers with room for each lossless priority of the profile.
struct BufferPlan {
  std::array<std::uint32_t, kPriorities> priority_to_buffer{}, size_bytes{};
  bool other_map = false, other_sizes = false;  ///< than the present ones
};
/// By the present map where it keeps lossless from lossy, else with all lossless priorities in buffer 1 and all others
/// in buffer 0, which has what is left. Nothing where no profile, no member or no buffers are known. Sizes stay as they
/// are where speed, MTU or cable length are not known; all stays as it is where there is not that much room.
[[nodiscard]] std::optional<BufferPlan> buffer_plan(const Evidence& seen);

}  // namespace roceready::rules

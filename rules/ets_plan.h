// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/snapshot/snapshot.h"

namespace roceready::rules {

class Evidence;

/// Traffic classes by the profile, which priority goes to which, and their scheduling: RoCE, congestion notifications
/// (strict), each further lossless priority and a heartbeat have a class of their own; all others share class 0. Map
/// and shares only mean something together: a share without its map falls to whatever class the NIC had there.
struct EtsPlan {
  std::uint32_t classes = 1;                          ///< that are in use, from 0 on
  std::array<std::uint32_t, kPriorities> class_of{};  ///< of each priority
  std::array<bool, kPriorities> by_share{};           ///< of each class: ETS; else strict, as are those not in use
  std::array<std::uint32_t, kPriorities> percent{};   ///< of each class; 100 in all, 0 where strict, else at least 1
};

/// Nothing where no profile is stated, where its RoCE priority is that of the default class, or where the NIC has fewer
/// classes than the plan takes.
[[nodiscard]] std::optional<EtsPlan> ets_plan(const Evidence& seen);

}  // namespace roceready::rules

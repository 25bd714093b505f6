// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/rule.h"

namespace roceready::rules {

/// Where the way from ToS to traffic class leaves what is lossless.
struct ChainBreak {
  std::string words;          ///< "DSCP 26 goes to priority 0 (…), and PFC is off on priority 0"; "": it does not
  std::vector<Recipe> cures;  ///< of the hop that breaks
  bool of_some = false;       ///< of some of the port's addresses alone: packets of the others stay lossless
};

/// ToS byte of RoCE: the one that the vendor driver forces, else the profile's. Nothing where the design has tags: it
/// says nothing of ToS, programs set a service level or what RDMA-CM gives them.
[[nodiscard]] std::optional<std::uint32_t> roce_tos(const Evidence& seen);
/// What breaks on the way of one ToS byte, or of whatever ToS programs set. Absent: a hop could not be read. Only for a
/// member of a port, with a profile.
[[nodiscard]] Reading<ChainBreak> chain_break(const Evidence& seen, std::optional<std::uint32_t> tos);
/// The recipes of the broken hop on RoCE's way, else on that of RDMA-CM's default; none where neither is seen to break.
[[nodiscard]] std::vector<Recipe> cures_of_chain(const Evidence& seen);

}  // namespace roceready::rules

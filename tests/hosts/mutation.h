// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/host/recording.h"

/// One answer of a recorded host made wrong, in all its samples.
namespace roceready::hosts {

enum class Damage {
  Remove,  ///< never asked
  RefuseIo,
  RefusePermission,
  RefuseSupport,
  RefuseInvalid,
  Empty,
  Halve,
  FlipBits,  ///< some bits of some bytes: may say another legal value
  AppendGarbage,
  Oversize,  ///< 200 kB more
  Freeze,    ///< the first answer for ever, as of a counter that stands still
};
[[nodiscard]] const std::vector<Damage>& all_damages();
[[nodiscard]] const char* name_of(Damage damage);
/// Whether the damaged answer may still say a legal value that differs from the true one, so that another outcome is
/// right.
[[nodiscard]] bool may_lie(Damage damage);

/// The kind of an answer's key, without the names in it: "netlink/ethtool/pause", "sys/bus/pci/devices/*/config".
[[nodiscard]] std::string kind_of_key(const std::string& key);
/// All keys of a recording, sorted.
[[nodiscard]] std::vector<std::string> keys_of(const Recording& recording);

/// Not changed: the answer is a refusal already and the damage is one of bytes, or the bytes are too few.
[[nodiscard]] bool apply(Recording& recording, const std::string& key, Damage damage, std::mt19937_64& random);

}  // namespace roceready::hosts

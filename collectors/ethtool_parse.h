// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collectors/attributes.h"
#include "core/base/result.h"
#include "core/snapshot/ethtool.h"

namespace roceready {

/// struct ethtool_drvinfo.
[[nodiscard]] Result<DriverInfo> parse_driver_info(ByteSpan bytes);
/// Value of the tunable pfc-prevention-tout: milliseconds, 0 for no limit.
[[nodiscard]] Reading<std::uint32_t> parse_pfc_prevention_timeout(ByteSpan bytes);
/// Names of the statistics set: 32 bytes each, cleaned, trimmed at the end. Malformed when the length is no multiple
/// of 32.
[[nodiscard]] Result<std::vector<std::string>> parse_statistics_names(ByteSpan bytes);
/// Values, 8 bytes each. Malformed unless there are exactly `count`.
[[nodiscard]] Result<std::vector<std::uint64_t>> parse_statistics_values(ByteSpan bytes, std::size_t count);

// Attributes of the ethtool netlink replies. A missing attribute is an absent reading; nothing fails as a whole.
[[nodiscard]] Reading<std::string> parse_medium(ByteSpan attributes);
[[nodiscard]] LinkModes parse_link_modes(ByteSpan attributes);
[[nodiscard]] LinkState parse_link_state(ByteSpan attributes);
[[nodiscard]] PauseFacts parse_pause(ByteSpan attributes);
[[nodiscard]] FecFacts parse_fec(ByteSpan attributes);
[[nodiscard]] RingFacts parse_rings(ByteSpan attributes);

/// Bits of a bitset attribute, compact or verbose. `mask`: bits of the mask, empty for a list without mask.
struct Bitset {
  std::vector<std::uint32_t> value, mask;
};
/// At most 4096 bits.
[[nodiscard]] Bitset parse_bitset(ByteSpan nest);

}  // namespace roceready

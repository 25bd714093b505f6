// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "probes/mac.h"

namespace roceready::probes {

/// An IP address in the form of a RoCE v2 GID: IPv4 as ::ffff:a.b.c.d.
using GidBytes = std::array<std::uint8_t, 16>;

inline constexpr std::size_t kGrhBytes = 40;

/// Why what stands in the GRH area is not taken for the packet's header.
enum class GrhDoubt {
  None,
  Short,        ///< fewer than 40 bytes
  Empty,        ///< all zero: some NICs do not fill it in
  NotIp,        ///< neither an IPv4 header in the last 20 bytes nor an IPv6 header of a RoCE packet
  BadChecksum,  ///< looks like IPv4, but its checksum is wrong: the NIC wrote something else there
};
[[nodiscard]] const char* name_of(GrhDoubt doubt);  ///< for the report: "empty"

/// The IP header as it arrived, after what switches made of it.
struct Grh {
  GrhDoubt doubt = GrhDoubt::Short;
  std::uint8_t version = 0;  ///< 4 or 6
  std::uint8_t dscp = 0, ecn = 0, ttl = 0;
  GidBytes source{}, destination{};
  /// All others are 0 unless believed.
  [[nodiscard]] bool believed() const { return doubt == GrhDoubt::None; }
};

/// Reads the 40 bytes in front of the payload of a UD receive. To be asked only where the completion has
/// IBV_WC_GRH. Source: fact ud-grh-ipv4; of IPv6 the 40 bytes are
/// the header.
[[nodiscard]] Grh read_grh(ByteSpan area);

}  // namespace roceready::probes

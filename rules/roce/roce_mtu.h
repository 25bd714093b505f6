// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roceready::rules {

/// Largest RDMA MTU that the kernel gives a netdev of this MTU: 256 to 4096 bytes, after GRH, UDP, BTH, extended
/// headers and ICRC (40 + 8 + 12 + 4 + 28 + 4 bytes, iboe_get_mtu). 0 where not even the smallest fits.
[[nodiscard]] constexpr std::uint32_t rdma_mtu_of(std::uint32_t netdev_mtu) {
  constexpr std::uint32_t kHeaders = 96;
  for (std::uint32_t mtu = 4096; mtu >= 256; mtu /= 2)
    if (netdev_mtu >= mtu + kHeaders) return mtu;
  return 0;
}

}  // namespace roceready::rules

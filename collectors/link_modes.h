// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roceready {

/// Speed of a link-mode bit (enum ethtool_link_mode_bit_indices) in bits per second; 0 for bits that name no speed
/// (FEC, pause, connector) and for bits newer than the table.
[[nodiscard]] std::uint64_t speed_of_link_mode(std::uint32_t bit);
/// "Off", "RS", "BaseR", "LLRS" of a FEC link-mode bit, nullptr else.
[[nodiscard]] const char* fec_of_link_mode(std::uint32_t bit);

}  // namespace roceready

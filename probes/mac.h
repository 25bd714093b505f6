// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace roceready::probes {

using ByteSpan = std::span<const std::byte>;

/// HMAC-SHA-256 (RFC 2104, FIPS 180-4).
using Mac = std::array<std::byte, 32>;
[[nodiscard]] Mac hmac_sha256(ByteSpan key, ByteSpan message);

/// Comparison whose time does not depend on where the bytes differ. Of unequal length: false.
[[nodiscard]] bool equal_in_constant_time(ByteSpan a, ByteSpan b);

}  // namespace roceready::probes

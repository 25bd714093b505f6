// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "probes/wire.h"

namespace roceready::probes {

/// Private data of a connection that a probe makes, and of its acceptance. Big endian:
///
///   0  u32 magic 0x5252434d   4  u8 version   5  u8 type   6..7  zero
///   8  u64 session           16  u64 attempt
///  24  16 bytes: HMAC-SHA-256 of a label and bytes 0..23 under the session's key, truncated
enum class CmMessageType : std::uint8_t { Request = 1, Acceptance = 2 };
struct CmMessage {
  CmMessageType type = CmMessageType::Request;
  std::uint64_t session = 0;
  std::uint64_t attempt = 0;  ///< rises with each request of a session; an acceptance repeats it
  bool operator==(const CmMessage&) const = default;
};
inline constexpr std::size_t kCmMessageBytes = 40;

[[nodiscard]] std::array<std::byte, kCmMessageBytes> encode(const CmMessage& message, const SessionKey& key);
/// Session id that the bytes claim, to look for its key; nothing where they are no such message.
[[nodiscard]] std::optional<std::uint64_t> claimed_cm_session(ByteSpan bytes);
/// Nothing: too short, not ours, or forged. What is behind the message is padding that nobody reads.
[[nodiscard]] std::optional<CmMessage> decode_cm(ByteSpan bytes, const SessionKey& key);

}  // namespace roceready::probes

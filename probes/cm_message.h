// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "probes/wire.h"

namespace roceready::probes {

/// Private data of a connection that a probe makes, of its acceptance and of its refusal. Big endian:
///
///   0  u32 magic 0x5252434d   4  u8 version   5  u8 type   6..7  zero
///   8  u64 session           16  u64 attempt
///  24  16 bytes: HMAC-SHA-256 of a label and bytes 0..23 under the session's key, truncated
enum class CmMessageType : std::uint8_t { Request = 1, Acceptance = 2, Refusal = 3 };
struct CmMessage {
  CmMessageType type = CmMessageType::Request;
  std::uint64_t session = 0;
  std::uint64_t attempt = 0;  ///< rises with each request of a session; what answers it repeats it
  bool operator==(const CmMessage&) const = default;
};
inline constexpr std::size_t kCmMessageBytes = 40;

[[nodiscard]] std::array<std::byte, kCmMessageBytes> encode(const CmMessage& message, const SessionKey& key);
/// Session id that the bytes claim, to look for its key; nothing where they are no such message.
[[nodiscard]] std::optional<std::uint64_t> claimed_cm_session(ByteSpan bytes);
/// Nothing: too short, not ours, or forged. What is behind the message is padding that nobody reads.
[[nodiscard]] std::optional<CmMessage> decode_cm(ByteSpan bytes, const SessionKey& key);

/// What goes with the rejection of a request: that the program which has the session was reached, and does not want
/// this call. The bytes written, kCmMessageBytes; 0: `into` is too short, and untouched.
[[nodiscard]] std::size_t encode_refusal(std::uint64_t session, std::uint64_t attempt, const SessionKey& key,
                                         std::span<std::byte> into);
/// Whether a rejection carries that of this attempt; padding behind it does not matter.
[[nodiscard]] bool is_refusal(std::span<const std::byte> told, std::uint64_t session, std::uint64_t attempt,
                              const SessionKey& key);

}  // namespace roceready::probes

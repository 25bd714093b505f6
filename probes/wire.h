// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "probes/mac.h"

namespace roceready::probes {

/// Key of a session's messages, derived from the shared secret and both nonces (exchange.h).
using SessionKey = std::array<std::byte, 32>;

/// What a message is. The responder answers each Probe twice: at once, and again when it knows when the first reply
/// left. In a session without authentication it answers once, by a SecondReply, lest it send more than it received.
enum class MessageType : std::uint8_t {
  Probe = 1,
  FirstReply = 2,   ///< acknowledges; what it says of the responder's delay is meaningless
  SecondReply = 3,  ///< carries the responder's delay
};

/// A decoded message. On the wire, big endian; `size` bytes in all, of which those behind the header are zero padding
/// that nobody reads:
///
///   0  u16 magic 0x5252   2  u8 version   3  u8 type     4  u16 size      6  u16 path
///   8  u64 session       16  u64 sequence               24  u64 digest hash
///  32  u64 responder's delay, ns                        40  u8 traffic class seen   41  u8 TTL seen
///  42  u8 flags (bit 0: header believed, bit 1: delay from a NIC's clock, bit 2: host late, bit 3: arrivals counted)
///  43  zero   44  u32 arrived   48..51  zero
///  52  12 bytes: HMAC-SHA-256 of bytes 0..51 under the session's key, truncated
///  64  padding
struct Message {
  MessageType type = MessageType::Probe;
  std::uint16_t size = 64;     ///< whole message in bytes, header and padding; of a reply: at most that of its probe
  std::uint16_t path = 0;      ///< index of the path; a reply has that of its probe
  std::uint64_t session = 0;   ///< from the session exchange
  std::uint64_t sequence = 0;  ///< of the probe; rises by one a probe over all paths of a session; a reply repeats it
  std::uint64_t digest = 0;    ///< hash of the sender's digest (digest.h), 0: it has none
  std::uint64_t responder_delay_ns = 0;  ///< SecondReply: from receiving the probe to sending the first reply
  bool nic_clock = false;                ///< SecondReply: the delay is a difference of the NIC's completion timestamps
  bool host_late =
      false;  ///< SecondReply: the responder's thread waited for a CPU, and the delay is the most it can be
  /// Replies: valid probes of the session that had arrived at the responder, this one included, modulo 2^32. Absent: it
  /// does not count them.
  std::optional<std::uint32_t> arrived = {};
  /// Replies: what the responder saw in the probe's IP header (grh.h). Not believed: the others are 0 and mean nothing.
  bool header_believed = false;
  std::uint8_t dscp_seen = 0, ecn_seen = 0, ttl_seen = 0;
  bool operator==(const Message&) const = default;
};

inline constexpr std::size_t kHeaderBytes = 64;
/// Payload of the largest path MTU of InfiniBand.
inline constexpr std::size_t kLargestMessage = 4096;

/// Why a message was not taken, in the order of the checks.
enum class Refusal {
  Short,           ///< fewer bytes than a header
  Oversized,       ///< more bytes than the largest message
  NotOurs,         ///< another magic
  OtherVersion,    ///< a version that we do not speak
  UnknownSession,  ///< no session of that id (said by the owner of the sessions)
  Forged,          ///< the MAC is not that of the session's key
  WrongSize,       ///< has not as many bytes as it says
  UnknownType,
  Replayed,  ///< a sequence seen before or too old (replay_window.h)
  NotAsked,  ///< a reply to no open probe, or a probe where only replies belong (said by the engine)
  kCount
};
/// For the metrics and the report: "forged".
[[nodiscard]] const char* name_of(Refusal refusal);

/// Writes `message` and its padding. Bytes written (`message.size`), or 0, with `out` untouched, where the size is
/// below that of a header, above the largest or above `out.size()`.
[[nodiscard]] std::size_t encode(const Message& message, const SessionKey& key, std::span<std::byte> out);

/// Session id that the bytes claim, to look for its key. A claim only: nothing may be done with it before decode().
[[nodiscard]] std::variant<std::uint64_t, Refusal> claimed_session(ByteSpan bytes);

/// The message. `bytes` are those received without the 40 bytes of the GRH. The MAC is compared before anything behind
/// the version is looked at; replay is the caller's to check, since a window belongs to a direction of a session.
[[nodiscard]] std::variant<Message, Refusal> decode(ByteSpan bytes, const SessionKey& key);

/// The reply of `type` to `probe`: its session, sequence and path, and at most its size.
[[nodiscard]] Message reply_to(const Message& probe, MessageType type, std::uint64_t own_digest);

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/wire.h"

#include <algorithm>

namespace roceready::probes {
namespace {

constexpr std::uint16_t kMagic = 0x5252;
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kMacBytes = 12;
constexpr std::size_t kSigned = kHeaderBytes - kMacBytes;
constexpr std::size_t kAtVersion = 2, kAtType = 3, kAtSize = 4, kAtPath = 6, kAtSession = 8, kAtSequence = 16,
                      kAtDigest = 24, kAtDelay = 32, kAtClass = 40, kAtTtl = 41, kAtFlags = 42, kAtArrived = 44;
constexpr std::uint8_t kHeaderBelieved = 1, kNicClock = 2, kHostLate = 4, kArrivalsCounted = 8;

template <class Number>
void put(std::span<std::byte> out, std::size_t at, Number value) {
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    out[at + i] = static_cast<std::byte>(value & 0xff);
    value = static_cast<Number>(std::uint64_t{value} >> 8);
  }
}

template <class Number>
Number get(ByteSpan from, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) value = value << 8 | std::to_integer<std::uint64_t>(from[at + i]);
  return static_cast<Number>(value);
}

/// The MAC of a header under a key, as long as on the wire.
ByteSpan truncated(const Mac& mac) {
  return ByteSpan(mac).first(kMacBytes);
}

}  // namespace

const char* name_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::Short:
      return "short";
    case Refusal::Oversized:
      return "oversized";
    case Refusal::NotOurs:
      return "not_ours";
    case Refusal::OtherVersion:
      return "other_version";
    case Refusal::UnknownSession:
      return "unknown_session";
    case Refusal::Forged:
      return "forged";
    case Refusal::WrongSize:
      return "wrong_size";
    case Refusal::UnknownType:
      return "unknown_type";
    case Refusal::Replayed:
      return "replayed";
    case Refusal::NotAsked:
      return "not_asked";
    case Refusal::kCount:
      break;
  }
  return "?";
}

std::size_t encode(const Message& message, const SessionKey& key, std::span<std::byte> out) {
  if (message.size < kHeaderBytes || message.size > kLargestMessage || message.size > out.size()) return 0;
  out = out.first(message.size);
  std::fill(out.begin(), out.end(), std::byte{0});
  put(out, 0, kMagic);
  put(out, kAtVersion, kVersion);
  put(out, kAtType, static_cast<std::uint8_t>(message.type));
  put(out, kAtSize, message.size);
  put(out, kAtPath, message.path);
  put(out, kAtSession, message.session);
  put(out, kAtSequence, message.sequence);
  put(out, kAtDigest, message.digest);
  put(out, kAtDelay, message.responder_delay_ns);
  if (message.header_believed) {
    put(out, kAtClass, static_cast<std::uint8_t>((message.dscp_seen & 0x3f) << 2 | (message.ecn_seen & 0x3)));
    put(out, kAtTtl, message.ttl_seen);
  }
  put(out, kAtFlags,
      static_cast<std::uint8_t>((message.header_believed ? kHeaderBelieved : 0) | (message.nic_clock ? kNicClock : 0) |
                                (message.host_late ? kHostLate : 0) | (message.arrived ? kArrivalsCounted : 0)));
  if (message.arrived) put(out, kAtArrived, *message.arrived);
  const Mac mac = hmac_sha256(key, out.first(kSigned));
  std::ranges::copy(truncated(mac), out.begin() + kSigned);
  return message.size;
}

std::variant<std::uint64_t, Refusal> claimed_session(ByteSpan bytes) {
  if (bytes.size() < kHeaderBytes) return Refusal::Short;
  if (bytes.size() > kLargestMessage) return Refusal::Oversized;
  if (get<std::uint16_t>(bytes, 0) != kMagic) return Refusal::NotOurs;
  if (get<std::uint8_t>(bytes, kAtVersion) != kVersion) return Refusal::OtherVersion;
  return get<std::uint64_t>(bytes, kAtSession);
}

std::variant<Message, Refusal> decode(ByteSpan bytes, const SessionKey& key) {
  const auto session = claimed_session(bytes);
  if (const Refusal* refused = std::get_if<Refusal>(&session)) return *refused;
  const Mac mac = hmac_sha256(key, bytes.first(kSigned));
  if (!equal_in_constant_time(truncated(mac), bytes.subspan(kSigned, kMacBytes))) return Refusal::Forged;

  Message out;
  out.size = get<std::uint16_t>(bytes, kAtSize);
  if (out.size != bytes.size()) return Refusal::WrongSize;
  const auto type = get<std::uint8_t>(bytes, kAtType);
  if (type < static_cast<std::uint8_t>(MessageType::Probe) ||
      type > static_cast<std::uint8_t>(MessageType::SecondReply))
    return Refusal::UnknownType;
  out.type = static_cast<MessageType>(type);
  out.path = get<std::uint16_t>(bytes, kAtPath);
  out.session = std::get<std::uint64_t>(session);
  out.sequence = get<std::uint64_t>(bytes, kAtSequence);
  out.digest = get<std::uint64_t>(bytes, kAtDigest);
  out.responder_delay_ns = get<std::uint64_t>(bytes, kAtDelay);
  const auto flags = get<std::uint8_t>(bytes, kAtFlags);
  out.nic_clock = (flags & kNicClock) != 0;
  out.host_late = (flags & kHostLate) != 0;
  if ((flags & kArrivalsCounted) != 0) out.arrived = get<std::uint32_t>(bytes, kAtArrived);
  out.header_believed = (flags & kHeaderBelieved) != 0;
  if (out.header_believed) {
    const auto traffic_class = get<std::uint8_t>(bytes, kAtClass);
    out.dscp_seen = traffic_class >> 2;
    out.ecn_seen = traffic_class & 0x3;
    out.ttl_seen = get<std::uint8_t>(bytes, kAtTtl);
  }
  return out;
}

Message reply_to(const Message& probe, MessageType type, std::uint64_t own_digest) {
  Message reply;
  reply.type = type;
  reply.size = probe.size;
  reply.path = probe.path;
  reply.session = probe.session;
  reply.sequence = probe.sequence;
  reply.digest = own_digest;
  return reply;
}

}  // namespace roceready::probes

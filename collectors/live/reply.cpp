// SPDX-License-Identifier: Apache-2.0
#include "collectors/live/reply.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/text.h"

namespace roceready::live {
namespace {

constexpr std::size_t kHeaderSize = sizeof(nlmsghdr);
constexpr std::size_t kErrorCodeSize = 4;

constexpr std::size_t aligned(std::size_t length) {
  return (length + 3) & ~std::size_t{3};
}

/// A value at the start of `bytes`, which must be long enough.
template <class T>
T load(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}

Error malformed(std::string what, const Expected& expected) {
  return Error{ErrorCode::Malformed, "netlink reply: " + std::move(what), expected.where, 0};
}

/// The kernel's own words for a refusal, "" where it gave none. `attributes`: behind the error structure.
std::string extended_text(std::span<const std::byte> attributes) {
  const auto text = find_attribute(attributes, NLMSGERR_ATTR_MSG);
  return text ? clean_text(text_of(*text)) : std::string();
}

Error refusal(int negative_errno, const std::string& text, const Expected& expected) {
  const int value = -negative_errno;
  return os_error(value, text.empty() ? "the kernel refused: " + errno_name(value) : "the kernel refused: " + text,
                  expected.where);
}

/// A plausible kernel error: 0 or -1 … -4095.
bool is_error_code(std::int32_t code) {
  return code <= 0 && code >= -4095;
}

Result<void> take_error(std::span<const std::byte> payload, std::uint16_t flags, const Expected& expected,
                        Reply& reply) {
  if (payload.size() < kErrorCodeSize + kHeaderSize) return malformed("error message is too short", expected);
  const auto code = load<std::int32_t>(payload);
  if (!is_error_code(code)) return malformed("impossible error code", expected);
  reply.finished = true;
  if (code == 0) {
    if (expected.dump) return malformed("a dump was acknowledged, not finished", expected);
    return {};
  }
  std::string text;
  if ((flags & NLM_F_ACK_TLVS) != 0) {
    // Behind the code stands the request: its header alone when capped, else all of it.
    std::size_t offset = kErrorCodeSize + kHeaderSize;
    if ((flags & NLM_F_CAPPED) == 0)
      offset = std::max(offset, kErrorCodeSize + aligned(load<nlmsghdr>(payload.subspan(kErrorCodeSize)).nlmsg_len));
    if (offset <= payload.size()) text = extended_text(payload.subspan(offset));
  }
  reply.refusal = refusal(code, text, expected);
  return {};
}

Result<void> take_done(std::span<const std::byte> payload, std::uint16_t flags, const Expected& expected,
                       Reply& reply) {
  if (!expected.dump) return malformed("end of a dump that was not asked for", expected);
  reply.finished = true;
  if (payload.empty()) return {};
  if (payload.size() < kErrorCodeSize) return malformed("end of dump is too short", expected);
  const auto code = load<std::int32_t>(payload);
  if (code >= 0) return {};  // some dumpers leave a positive length here
  if (!is_error_code(code)) return malformed("impossible error code", expected);
  const bool has_text = (flags & NLM_F_ACK_TLVS) != 0;
  reply.refusal = refusal(code, has_text ? extended_text(payload.subspan(kErrorCodeSize)) : "", expected);
  return {};
}

Result<void> take_data(std::span<const std::byte> payload, const Expected& expected, Reply& reply) {
  if (!expected.dump && !reply.payloads.empty()) return malformed("more than one answer", expected);
  reply.total_bytes += payload.size();
  if (reply.total_bytes > kMaxReplyBytes || reply.payloads.size() >= kMaxReplyMessages)
    return malformed("longer than any that makes sense", expected);
  reply.payloads.emplace_back(payload.begin(), payload.end());
  return {};
}

Result<void> take_message(const nlmsghdr& header, std::span<const std::byte> payload, const Expected& expected,
                          Reply& reply) {
  if (reply.finished) return malformed("goes on behind its end", expected);
  if (header.nlmsg_seq != expected.sequence) return malformed("sequence number of another request", expected);
  if ((header.nlmsg_flags & NLM_F_DUMP_INTR) != 0) reply.interrupted = true;
  if (header.nlmsg_type == NLMSG_ERROR) return take_error(payload, header.nlmsg_flags, expected, reply);
  if (header.nlmsg_type == NLMSG_DONE) return take_done(payload, header.nlmsg_flags, expected, reply);
  if (header.nlmsg_type == NLMSG_NOOP) return {};
  if (header.nlmsg_type != expected.type)
    return malformed("message of type " + std::to_string(header.nlmsg_type) + ", not " + std::to_string(expected.type),
                     expected);
  return take_data(payload, expected, reply);
}

}  // namespace

Payload& Payload::raw(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

Payload& Payload::u8(std::uint8_t value) {
  bytes_.push_back(static_cast<std::byte>(value));
  return *this;
}

Payload& Payload::zeros(std::size_t count) {
  bytes_.resize(bytes_.size() + count);
  return *this;
}

Payload& Payload::attribute(uapi::Attr type, std::span<const std::byte> value) {
  const auto length = static_cast<std::uint16_t>(uapi::kAttributeHeaderSize + value.size());
  raw(bytes_of(length)).raw(bytes_of(type)).raw(value);
  return zeros(aligned(bytes_.size()) - bytes_.size());
}

Payload& Payload::attribute_u8(uapi::Attr type, std::uint8_t value) {
  return attribute(type, std::as_bytes(std::span(&value, 1)));
}

Payload& Payload::attribute_u32(uapi::Attr type, std::uint32_t value) {
  return attribute(type, bytes_of(value));
}

Payload& Payload::attribute_text(uapi::Attr type, std::string_view text) {
  const std::string terminated(text);
  return attribute(type, std::as_bytes(std::span(terminated.c_str(), terminated.size() + 1)));
}

Payload& Payload::nest(uapi::Attr type, const Payload& inner) {
  return attribute(static_cast<uapi::Attr>(type | uapi::kAttributeNested), inner.bytes());
}

bool can_name_a_device(std::string_view name) {
  constexpr std::size_t kMaxNameBytes = 127;  // of alternative names; ordinary ones have 15
  return !name.empty() && name.size() <= kMaxNameBytes && name.find('\0') == std::string_view::npos;
}

Bytes build_request(std::uint16_t type, std::uint16_t flags, std::uint32_t sequence, const Payload& payload) {
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(kHeaderSize + payload.bytes().size());
  header.nlmsg_type = type;
  header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
  header.nlmsg_seq = sequence;
  Payload whole;
  whole.raw(bytes_of(header)).raw(payload.bytes());
  return whole.bytes();
}

Result<void> parse_reply(std::span<const std::byte> datagram, const Expected& expected, Reply& reply) {
  if (datagram.empty()) return malformed("empty", expected);
  while (!datagram.empty()) {
    if (datagram.size() < kHeaderSize) return malformed("header is cut short", expected);
    const auto header = load<nlmsghdr>(datagram);
    const std::size_t length = header.nlmsg_len;
    if (length < kHeaderSize || length > datagram.size()) return malformed("impossible length", expected);
    const auto payload = datagram.subspan(kHeaderSize, length - kHeaderSize);
    if (auto taken = take_message(header, payload, expected, reply); !taken) return taken;
    datagram = datagram.subspan(std::min(aligned(length), datagram.size()));
  }
  return {};
}

std::optional<std::span<const std::byte>> find_attribute(std::span<const std::byte> attributes, uapi::Attr type) {
  while (attributes.size() >= uapi::kAttributeHeaderSize) {
    const std::size_t length = load<std::uint16_t>(attributes);
    const auto found = static_cast<uapi::Attr>(load<std::uint16_t>(attributes.subspan(2)) & uapi::kAttributeTypeMask);
    if (length < uapi::kAttributeHeaderSize || length > attributes.size()) return std::nullopt;
    if (found == type) return attributes.subspan(uapi::kAttributeHeaderSize, length - uapi::kAttributeHeaderSize);
    attributes = attributes.subspan(std::min(aligned(length), attributes.size()));
  }
  return std::nullopt;
}

std::string text_of(std::span<const std::byte> value) {
  const auto end = std::find(value.begin(), value.end(), std::byte{0});
  std::string text;
  for (auto byte = value.begin(); byte != end; ++byte) text += static_cast<char>(*byte);
  return text;
}

std::optional<std::uint32_t> u32_of(std::span<const std::byte> value) {
  if (value.size() < sizeof(std::uint32_t)) return std::nullopt;
  return load<std::uint32_t>(value);
}

}  // namespace roceready::live

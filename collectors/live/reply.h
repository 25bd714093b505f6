// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/uapi.h"
#include "core/base/result.h"
#include "core/host/host.h"

/// Netlink messages as bytes, without any socket: building requests, checking replies. Pure functions.
namespace roceready::live {

/// Payload of a request: fixed headers, then attributes.
class Payload {
 public:
  Payload& raw(std::span<const std::byte> bytes);
  Payload& u8(std::uint8_t value);
  Payload& zeros(std::size_t count);
  Payload& attribute(uapi::Attr type, std::span<const std::byte> value);
  Payload& attribute_u8(uapi::Attr type, std::uint8_t value);
  Payload& attribute_u32(uapi::Attr type, std::uint32_t value);
  /// With its terminating NUL, as kernel policies for names want it.
  Payload& attribute_text(uapi::Attr type, std::string_view text);
  Payload& nest(uapi::Attr type, const Payload& inner);
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

/// Whether the kernel could know a device of this name: not empty, at most 127 bytes, no NUL (which would cut it short
/// to the name of another device).
[[nodiscard]] bool can_name_a_device(std::string_view name);

/// Header and payload as they go to the kernel; the sender's port is left 0 for the kernel to fill in.
[[nodiscard]] Bytes build_request(std::uint16_t type, std::uint16_t flags, std::uint32_t sequence,
                                  const Payload& payload);

struct Expected {
  std::uint32_t sequence = 0;
  std::uint16_t type = 0;  ///< of the messages that carry data
  bool dump = false;       ///< many messages and DONE; otherwise one message and an acknowledgement
  std::string where;       ///< object of errors: "DCB of eth0"
};

/// What has come of a reply so far.
struct Reply {
  std::vector<Bytes> payloads;  ///< behind each nlmsghdr
  std::size_t total_bytes = 0;
  bool interrupted = false;  ///< the kernel's table changed during the dump: ask again
  bool finished = false;
  std::optional<Error> refusal;  ///< the kernel's own error, with its extended text
};

inline constexpr std::size_t kMaxReplyBytes = std::size_t{64} * 1024 * 1024;
inline constexpr std::size_t kMaxReplyMessages = 65536;

/// Adds one datagram to the reply. An error (Malformed) means that the bytes break the protocol: the rest of this
/// conversation cannot be trusted. What the kernel refuses is no such error, see Reply::refusal.
[[nodiscard]] Result<void> parse_reply(std::span<const std::byte> datagram, const Expected& expected, Reply& reply);

/// First attribute of this type in a run of attributes, its flag bits masked; nothing where absent or cut short.
[[nodiscard]] std::optional<std::span<const std::byte>> find_attribute(std::span<const std::byte> attributes,
                                                                       uapi::Attr type);
/// Up to the first NUL.
[[nodiscard]] std::string text_of(std::span<const std::byte> value);
[[nodiscard]] std::optional<std::uint32_t> u32_of(std::span<const std::byte> value);

}  // namespace roceready::live

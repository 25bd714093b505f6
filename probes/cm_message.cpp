// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_message.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace roceready::probes {
namespace {

constexpr std::uint32_t kMagic = 0x5252434d;
constexpr std::byte kVersion{1};
constexpr std::size_t kTypeAt = 5, kSessionAt = 8, kAttemptAt = 16, kMacAt = 24;
constexpr std::string_view kLabel = "roceready probe connection/1";  // the session's key signs datagrams too

void put(std::span<std::byte> out, std::uint64_t value) {
  for (std::size_t i = out.size(); i-- > 0; value >>= 8U) out[i] = static_cast<std::byte>(value & 0xffU);
}

std::uint64_t get(ByteSpan bytes) {
  std::uint64_t out = 0;
  for (const std::byte each : bytes) out = out << 8U | std::to_integer<std::uint64_t>(each);
  return out;
}

Mac mac_of(ByteSpan signed_part, const SessionKey& key) {
  std::vector<std::byte> text;
  std::ranges::transform(kLabel, std::back_inserter(text), [](char c) { return static_cast<std::byte>(c); });
  text.insert(text.end(), signed_part.begin(), signed_part.end());
  return hmac_sha256(key, text);
}

}  // namespace

std::array<std::byte, kCmMessageBytes> encode(const CmMessage& message, const SessionKey& key) {
  std::array<std::byte, kCmMessageBytes> out{};
  const std::span<std::byte> bytes(out);
  put(bytes.first(4), kMagic);
  out[4] = kVersion;
  out[kTypeAt] = static_cast<std::byte>(message.type);
  put(bytes.subspan(kSessionAt, 8), message.session);
  put(bytes.subspan(kAttemptAt, 8), message.attempt);
  const Mac mac = mac_of(bytes.first(kMacAt), key);
  std::ranges::copy(std::span(mac).first(kCmMessageBytes - kMacAt), bytes.subspan(kMacAt).begin());
  return out;
}

std::optional<std::uint64_t> claimed_cm_session(ByteSpan bytes) {
  if (bytes.size() < kCmMessageBytes || get(bytes.first(4)) != kMagic || bytes[4] != kVersion) return std::nullopt;
  return get(bytes.subspan(kSessionAt, 8));
}

std::optional<CmMessage> decode_cm(ByteSpan bytes, const SessionKey& key) {
  const auto session = claimed_cm_session(bytes);
  if (!session) return std::nullopt;
  const Mac mac = mac_of(bytes.first(kMacAt), key);
  const std::size_t length = kCmMessageBytes - kMacAt;
  if (!equal_in_constant_time(bytes.subspan(kMacAt, length), std::span(mac).first(length))) return std::nullopt;
  const auto type = static_cast<CmMessageType>(bytes[kTypeAt]);
  if (type != CmMessageType::Request && type != CmMessageType::Acceptance && type != CmMessageType::Refusal)
    return std::nullopt;
  return CmMessage{type, *session, get(bytes.subspan(kAttemptAt, 8))};
}

std::size_t encode_refusal(std::uint64_t session, std::uint64_t attempt, const SessionKey& key,
                           std::span<std::byte> into) {
  if (into.size() < kCmMessageBytes) return 0;
  std::ranges::copy(encode(CmMessage{CmMessageType::Refusal, session, attempt}, key), into.begin());
  return kCmMessageBytes;
}

bool is_refusal(std::span<const std::byte> told, std::uint64_t session, std::uint64_t attempt, const SessionKey& key) {
  return decode_cm(told, key) == CmMessage{CmMessageType::Refusal, session, attempt};
}

}  // namespace roceready::probes

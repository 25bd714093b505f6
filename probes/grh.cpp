// SPDX-License-Identifier: Apache-2.0
#include "probes/grh.h"

#include <algorithm>

namespace roceready::probes {
namespace {

constexpr std::size_t kIpv4At = 20, kIpv4Bytes = 20;
constexpr unsigned kUdp = 17, kIbaTransport = 27;

unsigned at(ByteSpan area, std::size_t index) {
  return std::to_integer<unsigned>(area[index]);
}

/// RFC 1071: the sum of a header with its checksum is all ones.
bool checksum_holds(ByteSpan header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < header.size(); i += 2) sum += at(header, i) << 8 | at(header, i + 1);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

void copy(ByteSpan from, std::span<std::uint8_t> into) {
  std::transform(from.begin(), from.end(), into.begin(), [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
}

void set_class(Grh& out, unsigned traffic_class) {
  out.dscp = static_cast<std::uint8_t>(traffic_class >> 2);
  out.ecn = static_cast<std::uint8_t>(traffic_class & 3);
}

Grh ipv4(ByteSpan header) {
  Grh out{.doubt = GrhDoubt::None, .version = 4};
  set_class(out, at(header, 1));
  out.ttl = static_cast<std::uint8_t>(at(header, 8));
  out.source[10] = out.source[11] = out.destination[10] = out.destination[11] = 0xff;
  copy(header.subspan(12, 4), std::span(out.source).last(4));
  copy(header.subspan(16, 4), std::span(out.destination).last(4));
  return out;
}

Grh ipv6(ByteSpan header) {
  Grh out{.doubt = GrhDoubt::None, .version = 6};
  set_class(out, (at(header, 0) & 0xf) << 4 | at(header, 1) >> 4);
  out.ttl = static_cast<std::uint8_t>(at(header, 7));
  copy(header.subspan(8, 16), out.source);
  copy(header.subspan(24, 16), out.destination);
  return out;
}

}  // namespace

const char* name_of(GrhDoubt doubt) {
  switch (doubt) {
    case GrhDoubt::None:
      return "none";
    case GrhDoubt::Short:
      return "short";
    case GrhDoubt::Empty:
      return "empty";
    case GrhDoubt::NotIp:
      return "not an IP header";
    case GrhDoubt::BadChecksum:
      return "wrong checksum";
  }
  return "?";
}

Grh read_grh(ByteSpan area) {
  if (area.size() < kGrhBytes) return {};
  area = area.first(kGrhBytes);
  if (std::ranges::all_of(area, [](std::byte b) { return b == std::byte{0}; })) return {.doubt = GrhDoubt::Empty};
  // The first 20 bytes of an IPv4 packet's area are undefined and may look like version 6; the bytes of an IPv6 address
  // may look like an IPv4 header, but hardly like one with the right checksum.
  const ByteSpan last = area.subspan(kIpv4At, kIpv4Bytes);
  const bool looks_like_ipv4 = at(last, 0) == 0x45;
  if (looks_like_ipv4 && checksum_holds(last)) return ipv4(last);
  if (at(area, 0) >> 4 == 6 && (at(area, 6) == kUdp || at(area, 6) == kIbaTransport)) return ipv6(area);
  return {.doubt = looks_like_ipv4 ? GrhDoubt::BadChecksum : GrhDoubt::NotIp};
}

}  // namespace roceready::probes

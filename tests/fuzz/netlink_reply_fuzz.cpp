// SPDX-License-Identifier: Apache-2.0
// Datagrams of a hostile netlink peer. First byte: bit 0 dump or single; the rest is cut into datagrams by length
// bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/live/reply.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roceready::live;
  if (size < 1) return 0;
  const Expected expected{1, 16, (data[0] & 1U) != 0, "fuzz"};
  auto input = std::as_bytes(std::span(data, size)).subspan(1);
  Reply reply;
  while (input.size() > 1 && !reply.finished) {
    // Units of four bytes reach a kilobyte with one byte of length.
    const std::size_t length = std::min(static_cast<std::size_t>(input[0]) * 4, input.size() - 1);
    if (!parse_reply(input.subspan(1, length), expected, reply)) break;
    input = input.subspan(1 + length);
  }
  for (const roceready::Bytes& payload : reply.payloads)
    for (roceready::uapi::Attr type = 0; type < 4; ++type)
      if (const auto value = find_attribute(payload, type))
        static_cast<void>(text_of(*value).size() + u32_of(*value).value_or(0));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes as private data of a connection and as an event of the kernel's connection manager: refused, or a message
// that encodes to the same bytes; an event's private data never goes beyond what it has room for.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "probes/cm/channel.h"
#include "probes/cm_message.h"

namespace {

using namespace roceready::probes;

void check(ByteSpan bytes, const SessionKey& key) {
  const auto message = decode_cm(bytes, key);
  if (!message) return;
  const auto again = encode(*message, key);
  if (decode_cm(again, key) != message || claimed_cm_session(bytes) != message->session) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SessionKey key{std::byte{7}};
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
  check(bytes, key);
  if (const auto event = cm::decode_event(bytes)) {
    if (event->told.size() > 255) std::abort();
    check(event->told, key);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes as a received message, first as a stranger sends them, then signed with the session's key: refused, or a
// message that encodes to the same meaning. And any 40 bytes as a GRH: believed or all zero.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "probes/grh.h"
#include "probes/wire.h"

namespace {

using namespace roceready::probes;

void check(ByteSpan bytes, const SessionKey& key, bool may_be_taken) {
  const auto decoded = decode(bytes, key);
  const auto* message = std::get_if<Message>(&decoded);
  if (message == nullptr) return;
  if (!may_be_taken || message->size != bytes.size()) std::abort();
  std::vector<std::byte> again(bytes.size());
  if (encode(*message, key, again) != bytes.size()) std::abort();
  const auto second = decode(again, key);
  if (!std::holds_alternative<Message>(second) || std::get<Message>(second) != *message) std::abort();
  if (reply_to(*message, MessageType::FirstReply, 1).size > bytes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SessionKey key{std::byte{7}};
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
  check(bytes, key, false);
  if (size >= kHeaderBytes) {
    std::vector<std::byte> own(bytes.begin(), bytes.end());
    const Mac mac = hmac_sha256(key, ByteSpan(own).first(52));
    std::copy_n(mac.begin(), 12, own.begin() + 52);
    check(own, key, true);
  }
  const Grh grh = read_grh(bytes);
  if (!grh.believed() && (grh.version | grh.dscp | grh.ecn | grh.ttl) != 0) std::abort();
  if (grh.believed() && (grh.dscp > 63 || grh.ecn > 3 || (grh.version != 4 && grh.version != 6))) std::abort();
  return 0;
}

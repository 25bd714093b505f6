// SPDX-License-Identifier: Apache-2.0
// Any bytes as a body of the session exchange: with a secret never taken, since nobody signed it; without one refused
// with a reason, or taken and encoded to a body that is taken again and says the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "probes/digest.h"
#include "probes/exchange.h"

namespace {

using namespace roceready::probes;

template <class T>
void check_error(const roceready::Result<T>& read) {
  if (!read && read.error().what.empty()) std::abort();
}

void check_request(std::string_view body) {
  const auto read = decode_request(body, {});
  check_error(read);
  if (!read) return;
  if (read->authenticated || read->node.size() > kNameBytes || read->endpoint.queue_pairs.size() > kQueuePairs)
    std::abort();
  const std::string again = encode_request(*read, {});
  const auto second = decode_request(again, {});
  // Names were cleaned and measured when they were read, so what was taken once is taken again.
  if (!second || second->endpoint != read->endpoint || second->nonce != read->nonce) std::abort();
  if (encode_request(*second, {}) != again) std::abort();
}

void check_answer(std::string_view body, ProbeKind kind) {
  SessionRequest asked;  // a nonce of zeros, which an input can name
  asked.kind = kind;
  const auto read = decode_answer(body, {}, asked);
  check_error(read);
  if (!read) return;
  if (read->session == 0 || read->endpoints.empty() || !(read->probes_per_second > 0)) std::abort();
  const std::string again = encode_answer(*read, {});
  const auto second = decode_answer(again, {}, asked);
  if (!second || second->endpoints != read->endpoints || encode_answer(*second, {}) != again) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::byte kSecret[] = {std::byte{1}, std::byte{2}};
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (decode_request(body, kSecret) || decode_answer(body, kSecret, {})) std::abort();
  check_request(body);
  check_answer(body, ProbeKind::Ud);
  check_answer(body, ProbeKind::RcWrite);
  check_answer(body, ProbeKind::Bandwidth);
  if (const auto digest = digest_from_text(body)) {
    const auto second = digest_from_text(digest_text(*digest));
    if (!second || digest_hash(*second) != digest_hash(*digest)) std::abort();
  }
  return 0;
}

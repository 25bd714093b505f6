// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "probes/exchange.h"

namespace roceready::probes {

SessionKey session_key(ByteSpan secret, const Nonce& request, const Nonce& answer, std::uint64_t session) {
  std::vector<std::byte> salt(request.begin(), request.end());
  salt.insert(salt.end(), answer.begin(), answer.end());
  const Mac extracted = hmac_sha256(salt, secret);
  constexpr std::string_view kInfo = "roceready probe session/1";
  std::vector<std::byte> info;
  std::ranges::transform(kInfo, std::back_inserter(info), [](char c) { return static_cast<std::byte>(c); });
  for (int shift = 56; shift >= 0; shift -= 8) info.push_back(static_cast<std::byte>(session >> shift & 0xff));
  info.push_back(std::byte{1});  // the first and only block of the expansion
  return hmac_sha256(extracted, info);
}

bool SeenNonces::take(const Nonce& nonce) {
  if (!known_.insert(nonce).second) return false;
  order_.push_back(nonce);
  if (order_.size() > most_) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

}  // namespace roceready::probes

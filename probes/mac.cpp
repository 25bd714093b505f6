// SPDX-License-Identifier: Apache-2.0
#include "probes/mac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace roceready::probes {

Mac hmac_sha256(ByteSpan key, ByteSpan message) {
  Mac out{};
  unsigned int size = 0;
  // The key may be empty but not null: OpenSSL takes null for "the key of the call before".
  static constexpr std::byte kNone{};
  (void)HMAC(EVP_sha256(), key.empty() ? &kNone : key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(),
             reinterpret_cast<unsigned char*>(out.data()), &size);
  return out;
}

bool equal_in_constant_time(ByteSpan a, ByteSpan b) {
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace roceready::probes

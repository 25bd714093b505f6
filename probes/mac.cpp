// SPDX-License-Identifier: Apache-2.0
#include "probes/mac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace roceready::probes {
namespace {

constexpr std::size_t kBlock = 64;  // of SHA-256

struct Free {
  void operator()(EVP_MD* digest) const { EVP_MD_free(digest); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

/// OpenSSL's one-call HMAC looks its digest up and allocates each time, which takes longer than the hashing.
class Sha256 {
 public:
  Sha256() : digest_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    // Without it no message could be told from a forged one.
    if (digest_ == nullptr || context_ == nullptr) std::abort();
  }
  [[nodiscard]] Mac of(ByteSpan first, ByteSpan second) {
    Mac out{};
    unsigned int size = 0;
    const bool good = EVP_DigestInit_ex2(context_.get(), digest_.get(), nullptr) == 1 &&
                      EVP_DigestUpdate(context_.get(), first.data(), first.size()) == 1 &&
                      EVP_DigestUpdate(context_.get(), second.data(), second.size()) == 1 &&
                      EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(out.data()), &size) == 1;
    if (!good || size != out.size()) std::abort();
    return out;
  }

 private:
  std::unique_ptr<EVP_MD, Free> digest_;
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

Mac hmac_sha256(ByteSpan key, ByteSpan message) {
  thread_local Sha256 sha;
  std::array<std::byte, kBlock> inner{}, outer{};
  const Mac hashed = key.size() > kBlock ? sha.of(key, {}) : Mac{};
  const ByteSpan used = key.size() > kBlock ? ByteSpan(hashed) : key;
  std::ranges::copy(used, inner.begin());
  outer = inner;
  for (std::byte& each : inner) each ^= std::byte{0x36};
  for (std::byte& each : outer) each ^= std::byte{0x5c};
  const Mac within = sha.of(inner, message);
  OPENSSL_cleanse(inner.data(), inner.size());
  const Mac out = sha.of(outer, within);
  OPENSSL_cleanse(outer.data(), outer.size());
  return out;
}

bool equal_in_constant_time(ByteSpan a, ByteSpan b) {
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace roceready::probes

// SPDX-License-Identifier: Apache-2.0
#include "probes/mac.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

ByteSpan bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string hexadecimal(ByteSpan data) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : data) {
    out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return out;
}

// Test cases 1 and 2 of RFC 4231.
TEST(Mac, is_that_of_the_standard) {
  EXPECT_EQ(hexadecimal(hmac_sha256(bytes(std::string(20, '\x0b')), bytes("Hi There"))),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hexadecimal(hmac_sha256(bytes("Jefe"), bytes("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// Test cases 6 and 7 of RFC 4231.
TEST(Mac, of_a_key_longer_than_a_block_is_that_of_its_hash) {
  const std::string key(131, '\xaa');
  EXPECT_EQ(hexadecimal(hmac_sha256(bytes(key), bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hexadecimal(hmac_sha256(
                bytes(key), bytes("This is a test using a larger than block-size key and a larger than block-size "
                                  "data. The key needs to be hashed before being used by the HMAC algorithm."))),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

TEST(Mac, of_an_empty_key_is_not_that_of_the_key_before) {
  const Mac first = hmac_sha256({}, bytes("text"));
  (void)hmac_sha256(bytes("secret"), bytes("text"));
  EXPECT_EQ(hmac_sha256({}, bytes("text")), first);
}

TEST(Mac, is_compared_whole) {
  EXPECT_TRUE(equal_in_constant_time(bytes("abcd"), bytes("abcd")));
  EXPECT_FALSE(equal_in_constant_time(bytes("abcd"), bytes("abce")));
  EXPECT_FALSE(equal_in_constant_time(bytes("abcd"), bytes("abc")));
  EXPECT_TRUE(equal_in_constant_time({}, {}));
}

}  // namespace
}  // namespace roceready::probes

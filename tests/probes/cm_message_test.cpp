// SPDX-License-Identifier: Apache-2.0
#include "probes/cm_message.h"

#include <vector>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

SessionKey key_of(unsigned seed) {
  SessionKey out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(seed + i);
  return out;
}
const CmMessage kRequest{CmMessageType::Request, 0xfedcba9876543210, 7};

std::vector<std::byte> bytes() {
  const auto out = encode(kRequest, key_of(1));
  return {out.begin(), out.end()};
}

TEST(CmMessage, arrives_with_the_padding_of_its_carrier) {
  std::vector<std::byte> sent = bytes();
  EXPECT_EQ(decode_cm(sent, key_of(1)), kRequest);
  sent.resize(196, std::byte{0xff});
  EXPECT_EQ(decode_cm(sent, key_of(1)), kRequest);
  EXPECT_EQ(claimed_cm_session(sent), kRequest.session);
}

TEST(CmMessage, that_is_changed_in_any_byte_or_cut_short_is_none) {
  const std::vector<std::byte> sent = bytes();
  for (std::size_t at = 0; at < sent.size(); ++at) {
    std::vector<std::byte> other = sent;
    other[at] ^= std::byte{1};
    EXPECT_FALSE(decode_cm(other, key_of(1))) << at;
    EXPECT_FALSE(decode_cm(ByteSpan(sent).first(at), key_of(1))) << at;
    EXPECT_FALSE(claimed_cm_session(ByteSpan(sent).first(at))) << at;
  }
}

TEST(CmMessage, of_another_key_or_of_an_unknown_type_is_none) {
  EXPECT_FALSE(decode_cm(bytes(), key_of(2)));
  const auto odd = encode(CmMessage{static_cast<CmMessageType>(3), 1, 1}, key_of(1));
  EXPECT_FALSE(decode_cm(odd, key_of(1)));
}

TEST(CmMessage, of_one_direction_is_not_that_of_the_other) {
  const auto answer = encode(CmMessage{CmMessageType::Acceptance, kRequest.session, kRequest.attempt}, key_of(1));
  EXPECT_NE(decode_cm(answer, key_of(1)), kRequest);
}

}  // namespace
}  // namespace roceready::probes

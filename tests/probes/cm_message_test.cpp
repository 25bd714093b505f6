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
  const auto odd = encode(CmMessage{static_cast<CmMessageType>(4), 1, 1}, key_of(1));
  EXPECT_FALSE(decode_cm(odd, key_of(1)));
}

TEST(CmMessage, of_one_direction_is_not_that_of_the_other) {
  const auto answer = encode(CmMessage{CmMessageType::Acceptance, kRequest.session, kRequest.attempt}, key_of(1));
  EXPECT_NE(decode_cm(answer, key_of(1)), kRequest);
}

TEST(CmMessage, of_a_refusal_is_of_one_attempt_and_arrives_with_its_padding) {
  std::vector<std::byte> told(148);
  ASSERT_EQ(encode_refusal(5, 7, key_of(1), told), kCmMessageBytes);
  EXPECT_TRUE(is_refusal(told, 5, 7, key_of(1)));
  EXPECT_FALSE(is_refusal(told, 5, 8, key_of(1)));
  EXPECT_FALSE(is_refusal(told, 6, 7, key_of(1)));
  EXPECT_FALSE(is_refusal(told, 5, 7, key_of(2)));
  EXPECT_FALSE(is_refusal(ByteSpan(told).first(kCmMessageBytes - 1), 5, 7, key_of(1)));
  told[30] ^= std::byte{1};
  EXPECT_FALSE(is_refusal(told, 5, 7, key_of(1)));
  EXPECT_FALSE(is_refusal({}, 5, 7, key_of(1)));
  EXPECT_FALSE(is_refusal(std::vector<std::byte>(148), 5, 7, key_of(1))) << "what a kernel's own rejection brings";
}

TEST(CmMessage, of_a_refusal_is_neither_request_nor_acceptance) {
  std::vector<std::byte> told(kCmMessageBytes);
  ASSERT_EQ(encode_refusal(kRequest.session, kRequest.attempt, key_of(1), told), kCmMessageBytes);
  EXPECT_NE(decode_cm(told, key_of(1)), kRequest);
  EXPECT_FALSE(is_refusal(bytes(), kRequest.session, kRequest.attempt, key_of(1)));
  const auto accepted = encode(CmMessage{CmMessageType::Acceptance, kRequest.session, kRequest.attempt}, key_of(1));
  EXPECT_FALSE(is_refusal(accepted, kRequest.session, kRequest.attempt, key_of(1)));
}

TEST(CmMessage, of_a_refusal_that_does_not_fit_leaves_its_place_untouched) {
  std::vector<std::byte> small(kCmMessageBytes - 1, std::byte{9});
  EXPECT_EQ(encode_refusal(5, 7, key_of(1), small), 0U);
  EXPECT_EQ(small, std::vector<std::byte>(kCmMessageBytes - 1, std::byte{9}));
}

}  // namespace
}  // namespace roceready::probes

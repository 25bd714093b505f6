// SPDX-License-Identifier: Apache-2.0
#include "probes/wire.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "probes/replay_window.h"

namespace roceready::probes {
namespace {

using Bytes = std::vector<std::byte>;

SessionKey key_of(unsigned seed) {
  SessionKey out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(seed + i);
  return out;
}

Message second_reply() {
  return {.type = MessageType::SecondReply,
          .size = 96,
          .path = 3,
          .session = 0x1122334455667788,
          .sequence = 41,
          .digest = 0xfedcba9876543210,
          .responder_delay_ns = 7'500,
          .nic_clock = true,
          .arrived = 0x01020304,
          .header_believed = true,
          .dscp_seen = 26,
          .ecn_seen = 3,
          .ttl_seen = 61};
}

Bytes encoded(const Message& message, const SessionKey& key) {
  Bytes out(kLargestMessage);
  out.resize(encode(message, key, out));
  return out;
}

Refusal refusal(ByteSpan bytes, const SessionKey& key) {
  const auto decoded = decode(bytes, key);
  return std::holds_alternative<Refusal>(decoded) ? std::get<Refusal>(decoded) : Refusal::kCount;
}

/// The bytes signed again after somebody who has the key changed them.
Bytes signed_again(Bytes bytes, const SessionKey& key) {
  const Mac mac = hmac_sha256(key, ByteSpan(bytes).first(52));
  std::copy_n(mac.begin(), 12, bytes.begin() + 52);
  return bytes;
}

TEST(Wire, has_the_count_of_arrivals_at_byte_44_and_none_where_it_is_not_flagged) {
  const SessionKey key = key_of(1);
  const Bytes bytes = encoded(second_reply(), key);
  EXPECT_EQ(std::to_integer<unsigned>(bytes[44]), 1U);
  EXPECT_EQ(std::to_integer<unsigned>(bytes[47]), 4U);
  Bytes older = bytes;
  older[42] &= std::byte{0x07};
  const auto decoded = decode(signed_again(older, key), key);
  ASSERT_TRUE(std::holds_alternative<Message>(decoded));
  EXPECT_FALSE(std::get<Message>(decoded).arrived);
}

TEST(Wire, carries_a_message_there_and_back) {
  const SessionKey key = key_of(1);
  const Bytes bytes = encoded(second_reply(), key);
  ASSERT_EQ(bytes.size(), 96U);
  const auto decoded = decode(bytes, key);
  ASSERT_TRUE(std::holds_alternative<Message>(decoded));
  EXPECT_EQ(std::get<Message>(decoded), second_reply());
  EXPECT_EQ(std::get<std::uint64_t>(claimed_session(bytes)), 0x1122334455667788U);
}

TEST(Wire, is_big_endian_where_the_byte_map_says) {
  const Bytes bytes = encoded(second_reply(), key_of(1));
  const auto at = [&](std::size_t index) { return std::to_integer<unsigned>(bytes[index]); };
  EXPECT_EQ(at(0), 0x52U);
  EXPECT_EQ(at(2), 1U) << "version";
  EXPECT_EQ(at(3), 3U) << "type";
  EXPECT_EQ(at(5), 96U) << "size";
  EXPECT_EQ(at(7), 3U) << "path";
  EXPECT_EQ(at(8), 0x11U) << "session";
  EXPECT_EQ(at(23), 41U) << "sequence";
  EXPECT_EQ(at(24), 0xfeU) << "digest";
  EXPECT_EQ(at(38) << 8 | at(39), 7'500U) << "delay";
  EXPECT_EQ(at(40), 26U << 2 | 3U) << "traffic class";
  EXPECT_EQ(at(41), 61U) << "TTL";
  EXPECT_TRUE(std::all_of(bytes.begin() + 64, bytes.end(), [](std::byte b) { return b == std::byte{0}; })) << "padding";
}

TEST(Wire, does_not_write_what_does_not_fit) {
  Bytes out(128, std::byte{0xaa});
  Message message = second_reply();
  message.size = 63;
  EXPECT_EQ(encode(message, key_of(1), out), 0U);
  message.size = 129;
  EXPECT_EQ(encode(message, key_of(1), out), 0U);
  EXPECT_EQ(out, Bytes(128, std::byte{0xaa}));
  message.size = 4097;
  Bytes large(5000);
  EXPECT_EQ(encode(message, key_of(1), large), 0U);
}

TEST(Wire, refuses_the_short_and_the_oversized) {
  const SessionKey key = key_of(1);
  const Bytes bytes = encoded(second_reply(), key);
  for (std::size_t size = 0; size < kHeaderBytes; ++size)
    EXPECT_EQ(refusal(ByteSpan(bytes).first(size), key), Refusal::Short) << size;
  EXPECT_EQ(refusal(Bytes(kLargestMessage + 1), key), Refusal::Oversized);
}

TEST(Wire, refuses_what_was_cut_or_made_longer_on_the_way) {
  const SessionKey key = key_of(1);
  Bytes bytes = encoded(second_reply(), key);
  EXPECT_EQ(refusal(ByteSpan(bytes).first(95), key), Refusal::WrongSize);
  bytes.push_back(std::byte{0});
  EXPECT_EQ(refusal(bytes, key), Refusal::WrongSize);
}

TEST(Wire, refuses_another_magic_and_another_version) {
  const SessionKey key = key_of(1);
  Bytes bytes = encoded(second_reply(), key);
  bytes[2] = std::byte{2};
  EXPECT_EQ(refusal(signed_again(bytes, key), key), Refusal::OtherVersion);
  bytes[0] = std::byte{0};
  EXPECT_EQ(refusal(signed_again(bytes, key), key), Refusal::NotOurs);
}

TEST(Wire, refuses_an_unknown_type_only_from_who_has_the_key) {
  const SessionKey key = key_of(1);
  for (const unsigned type : {0U, 4U, 255U}) {
    Bytes bytes = encoded(second_reply(), key);
    bytes[3] = static_cast<std::byte>(type);
    EXPECT_EQ(refusal(bytes, key), Refusal::Forged) << "the MAC comes first";
    EXPECT_EQ(refusal(signed_again(bytes, key), key), Refusal::UnknownType);
  }
}

TEST(Wire, notices_a_change_of_any_bit_of_the_header) {
  const SessionKey key = key_of(1);
  const Bytes bytes = encoded(second_reply(), key);
  for (std::size_t bit = 0; bit < 8 * kHeaderBytes; ++bit) {
    Bytes changed = bytes;
    changed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_NE(refusal(changed, key), Refusal::kCount) << "bit " << bit;
  }
}

TEST(Wire, refuses_what_another_session_signed) {
  EXPECT_EQ(refusal(encoded(second_reply(), key_of(1)), key_of(2)), Refusal::Forged);
}

TEST(Wire, does_not_take_a_reply_that_is_sent_back_for_a_probe) {
  const SessionKey key = key_of(1);
  Bytes bytes = encoded(second_reply(), key);
  bytes[3] = std::byte{1};
  EXPECT_EQ(refusal(bytes, key), Refusal::Forged);
}

TEST(Wire, says_nothing_of_a_header_that_was_not_believed) {
  Message message = second_reply();
  message.header_believed = false;
  const auto decoded = std::get<Message>(decode(encoded(message, key_of(1)), key_of(1)));
  EXPECT_FALSE(decoded.header_believed);
  EXPECT_EQ(decoded.dscp_seen, 0);
  EXPECT_EQ(decoded.ecn_seen, 0);
  EXPECT_EQ(decoded.ttl_seen, 0);
}

TEST(Wire, replies_with_no_more_bytes_than_came) {
  Message probe{.size = 4096, .path = 2, .session = 9, .sequence = 77};
  const Message reply = reply_to(probe, MessageType::FirstReply, 5);
  EXPECT_EQ(reply.type, MessageType::FirstReply);
  EXPECT_LE(reply.size, probe.size);
  EXPECT_EQ(reply.session, 9U);
  EXPECT_EQ(reply.sequence, 77U);
  EXPECT_EQ(reply.path, 2U);
  EXPECT_EQ(reply.digest, 5U);
}

TEST(Wire, has_a_name_for_every_refusal) {
  for (int i = 0; i < static_cast<int>(Refusal::kCount); ++i) EXPECT_STRNE(name_of(static_cast<Refusal>(i)), "?") << i;
}

TEST(ReplayWindow, takes_each_sequence_once_in_any_order) {
  ReplayWindow window;
  for (const std::uint64_t sequence : {5U, 3U, 9U, 4U, 0U}) {
    EXPECT_TRUE(window.take(sequence)) << sequence;
    EXPECT_FALSE(window.take(sequence)) << sequence;
  }
}

TEST(ReplayWindow, refuses_what_is_older_than_its_span) {
  ReplayWindow window;
  EXPECT_TRUE(window.take(5000));
  EXPECT_FALSE(window.take(5000 - ReplayWindow::kSpan));
  EXPECT_TRUE(window.take(5001 - ReplayWindow::kSpan));
  EXPECT_FALSE(window.take(0));
}

TEST(ReplayWindow, takes_what_was_skipped_on_the_way_up) {
  ReplayWindow window;
  for (std::uint64_t sequence = 0; sequence < 3 * ReplayWindow::kSpan; ++sequence) ASSERT_TRUE(window.take(sequence));
  const std::uint64_t next = 3 * ReplayWindow::kSpan + 100;
  EXPECT_TRUE(window.take(next));
  for (std::uint64_t skipped = 3 * ReplayWindow::kSpan; skipped < next; ++skipped) ASSERT_TRUE(window.take(skipped));
  EXPECT_FALSE(window.take(3 * ReplayWindow::kSpan - 1)) << "seen before the jump";
}

TEST(ReplayWindow, forgets_all_after_a_jump_past_its_span) {
  ReplayWindow window;
  EXPECT_TRUE(window.take(1));
  EXPECT_TRUE(window.take(~std::uint64_t{0}));
  EXPECT_FALSE(window.take(~std::uint64_t{0}));
  EXPECT_FALSE(window.take(1));
  EXPECT_TRUE(window.take(~std::uint64_t{0} - 1));
}

}  // namespace
}  // namespace roceready::probes

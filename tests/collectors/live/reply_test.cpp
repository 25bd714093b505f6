// SPDX-License-Identifier: Apache-2.0
#include "collectors/live/reply.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <cerrno>
#include <cstring>

namespace roceready::live {
namespace {

constexpr std::uint32_t kSequence = 7;
constexpr std::uint16_t kType = 100;
const Expected kOne{kSequence, kType, false, "test"};
const Expected kDump{kSequence, kType, true, "test"};

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

template <class T>
Bytes bytes_of(const T& value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  return Bytes(begin, begin + sizeof value);
}

/// One message; `length` 0: the right one.
Bytes message(std::uint16_t type, const Bytes& payload, std::uint16_t flags = 0, std::uint32_t sequence = kSequence,
              std::uint32_t length = 0) {
  nlmsghdr header{};
  header.nlmsg_len = length != 0 ? length : static_cast<std::uint32_t>(sizeof header + payload.size());
  header.nlmsg_type = type;
  header.nlmsg_flags = flags;
  header.nlmsg_seq = sequence;
  Bytes out = bytes_of(header);
  out.insert(out.end(), payload.begin(), payload.end());
  out.resize((out.size() + 3) / 4 * 4);
  return out;
}

Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Payload of NLMSG_ERROR: code, then the request's header of `request_length`, then `rest`.
Bytes error_payload(std::int32_t code, std::uint32_t request_length = sizeof(nlmsghdr), const Bytes& rest = {}) {
  nlmsghdr request{};
  request.nlmsg_len = request_length;
  return bytes_of(code) + bytes_of(request) + rest;
}

void expect_malformed(const Bytes& datagram, const Expected& expected, const std::string& says) {
  Reply reply;
  const auto parsed = parse_reply(datagram, expected, reply);
  ASSERT_FALSE(parsed) << says;
  EXPECT_EQ(parsed.error().code, ErrorCode::Malformed);
  EXPECT_EQ(parsed.error().where, "test");
  EXPECT_NE(parsed.error().what.find(says), std::string::npos) << parsed.error().what;
}

TEST(ParseReply, takes_one_answer_and_its_acknowledgement) {
  Reply reply;
  ASSERT_TRUE(parse_reply(message(kType, bytes({1, 2, 3})), kOne, reply));
  EXPECT_FALSE(reply.finished);
  ASSERT_TRUE(parse_reply(message(NLMSG_ERROR, error_payload(0)), kOne, reply));
  EXPECT_TRUE(reply.finished);
  EXPECT_FALSE(reply.refusal);
  EXPECT_EQ(reply.payloads, std::vector<Bytes>{bytes({1, 2, 3})});
}

TEST(ParseReply, takes_both_in_one_datagram) {
  Reply reply;
  ASSERT_TRUE(parse_reply(message(kType, bytes({1})) + message(NLMSG_ERROR, error_payload(0)), kOne, reply));
  EXPECT_TRUE(reply.finished);
  EXPECT_EQ(reply.payloads.size(), 1U);
}

TEST(ParseReply, collects_a_dump_over_several_datagrams) {
  Reply reply;
  ASSERT_TRUE(parse_reply(message(kType, bytes({1}), NLM_F_MULTI) + message(kType, bytes({2, 3, 4, 5, 6}), NLM_F_MULTI),
                          kDump, reply));
  ASSERT_TRUE(parse_reply(message(kType, {}, NLM_F_MULTI) + message(NLMSG_NOOP, {}), kDump, reply));
  EXPECT_FALSE(reply.finished);
  ASSERT_TRUE(parse_reply(message(NLMSG_DONE, bytes_of(std::int32_t{0}), NLM_F_MULTI), kDump, reply));
  EXPECT_TRUE(reply.finished);
  EXPECT_FALSE(reply.interrupted);
  EXPECT_EQ(reply.payloads, (std::vector<Bytes>{bytes({1}), bytes({2, 3, 4, 5, 6}), {}}));
}

TEST(ParseReply, notices_that_a_dump_was_interrupted) {
  Reply reply;
  ASSERT_TRUE(
      parse_reply(message(kType, {}, NLM_F_MULTI | NLM_F_DUMP_INTR) + message(NLMSG_DONE, bytes_of(std::int32_t{0})),
                  kDump, reply));
  EXPECT_TRUE(reply.finished);
  EXPECT_TRUE(reply.interrupted);
}

TEST(ParseReply, takes_the_kernels_refusal_with_its_errno) {
  Reply reply;
  ASSERT_TRUE(parse_reply(message(NLMSG_ERROR, error_payload(-EOPNOTSUPP)), kOne, reply));
  EXPECT_TRUE(reply.finished);
  ASSERT_TRUE(reply.refusal);
  EXPECT_EQ(reply.refusal->code, ErrorCode::NotSupported);
  EXPECT_EQ(reply.refusal->os_error, EOPNOTSUPP);
}

TEST(ParseReply, takes_the_kernels_words_with_a_refusal) {
  Payload words;
  words.attribute_u32(NLMSGERR_ATTR_OFFS, 20).attribute_text(NLMSGERR_ATTR_MSG, "no device\nmatches");
  Reply capped;
  ASSERT_TRUE(parse_reply(
      message(NLMSG_ERROR, error_payload(-EINVAL, 44, words.bytes()), NLM_F_CAPPED | NLM_F_ACK_TLVS), kOne, capped));
  ASSERT_TRUE(capped.refusal);
  EXPECT_NE(capped.refusal->what.find("no device\\x0amatches"), std::string::npos) << capped.refusal->what;

  Reply whole;  // the request of 20 bytes stands in between
  ASSERT_TRUE(
      parse_reply(message(NLMSG_ERROR, error_payload(-EINVAL, 20, bytes({9, 9, 9, 9}) + words.bytes()), NLM_F_ACK_TLVS),
                  kOne, whole));
  ASSERT_TRUE(whole.refusal);
  EXPECT_NE(whole.refusal->what.find("no device"), std::string::npos);
}

TEST(ParseReply, survives_words_that_are_not_there) {
  for (const std::uint32_t request_length : {0U, 16U, 20U, 4000U, 0xffffffffU}) {
    Reply reply;
    ASSERT_TRUE(parse_reply(message(NLMSG_ERROR, error_payload(-EIO, request_length), NLM_F_ACK_TLVS), kOne, reply));
    ASSERT_TRUE(reply.refusal);
    EXPECT_NE(reply.refusal->what.find("EIO"), std::string::npos);
  }
}

TEST(ParseReply, takes_an_error_at_the_end_of_a_dump) {
  Reply reply;
  ASSERT_TRUE(parse_reply(message(NLMSG_DONE, bytes_of(std::int32_t{-ENODEV})), kDump, reply));
  ASSERT_TRUE(reply.refusal);
  EXPECT_EQ(reply.refusal->code, ErrorCode::NotFound);
}

TEST(ParseReply, refuses_what_is_cut_short) {
  const Bytes good = message(kType, bytes({1, 2, 3, 4}));
  for (std::size_t length = 0; length < good.size(); ++length) {
    Reply reply;
    const auto parsed = parse_reply(std::span(good).first(length), kOne, reply);
    ASSERT_FALSE(parsed) << length;
    EXPECT_EQ(parsed.error().code, ErrorCode::Malformed);
    EXPECT_TRUE(reply.payloads.empty());
  }
  expect_malformed(good + bytes({1, 2, 3, 4}), kDump, "cut short");
}

TEST(ParseReply, refuses_impossible_lengths) {
  for (const std::uint32_t length : {1U, 15U, 21U, 1000U, 0x7fffffffU, 0xffffffffU})
    expect_malformed(message(kType, bytes({1, 2, 3, 4}), 0, kSequence, length), kOne, "impossible length");
  Bytes zero = message(kType, {});
  std::memset(zero.data(), 0, 4);
  expect_malformed(zero, kOne, "impossible length");
}

TEST(ParseReply, refuses_a_sequence_number_of_another_request) {
  expect_malformed(message(kType, {}, 0, kSequence - 1), kOne, "sequence");
  expect_malformed(message(NLMSG_ERROR, error_payload(0), 0, kSequence + 1), kOne, "sequence");
}

TEST(ParseReply, refuses_a_type_that_it_did_not_ask_for) {
  expect_malformed(message(kType + 1, {}), kOne, "type 101");
  expect_malformed(message(NLMSG_OVERRUN, {}), kDump, "type 4");
}

TEST(ParseReply, refuses_errors_that_are_too_short_or_impossible) {
  expect_malformed(message(NLMSG_ERROR, {}), kOne, "too short");
  expect_malformed(message(NLMSG_ERROR, bytes({0, 0, 0, 0})), kOne, "too short");
  expect_malformed(message(NLMSG_ERROR, error_payload(5)), kOne, "impossible error");
  expect_malformed(message(NLMSG_ERROR, error_payload(INT32_MIN)), kOne, "impossible error");
  expect_malformed(message(NLMSG_DONE, bytes({1, 2})), kDump, "too short");
  expect_malformed(message(NLMSG_DONE, bytes_of(INT32_MIN)), kDump, "impossible error");
}

TEST(ParseReply, refuses_conversations_that_go_on_or_end_wrongly) {
  expect_malformed(message(NLMSG_ERROR, error_payload(0)) + message(kType, {}), kOne, "behind its end");
  expect_malformed(message(NLMSG_DONE, {}) + message(NLMSG_DONE, {}), kDump, "behind its end");
  expect_malformed(message(kType, {}) + message(kType, {}), kOne, "more than one");
  expect_malformed(message(NLMSG_DONE, {}), kOne, "not asked for");
  expect_malformed(message(NLMSG_ERROR, error_payload(0)), kDump, "acknowledged");
}

TEST(ParseReply, refuses_replies_without_end) {
  Bytes datagram;
  for (int i = 0; i < 1024; ++i) datagram = datagram.empty() ? message(kType, {}) : datagram + message(kType, {});
  Reply reply;
  Result<void> parsed;
  for (std::size_t i = 0; parsed && i <= kMaxReplyMessages / 1024; ++i) parsed = parse_reply(datagram, kDump, reply);
  ASSERT_FALSE(parsed);
  EXPECT_LE(reply.payloads.size(), kMaxReplyMessages);
}

TEST(Payload, pads_attributes_and_marks_nests) {
  Payload inner;
  inner.attribute_text(2, "eth0");
  Payload payload;
  payload.u8(1).u8(2).zeros(2).nest(1, inner);
  EXPECT_EQ(payload.bytes(), bytes({1, 2, 0, 0, 16, 0, 1, 0x80, 9, 0, 2, 0, 'e', 't', 'h', '0', 0, 0, 0, 0}));
  const Bytes request = build_request(0x12, NLM_F_DUMP, 5, payload);
  EXPECT_EQ(request.size(), 36U);
  EXPECT_EQ(u32_of(request), 36U);
}

TEST(FindAttribute, masks_flag_bits_and_stops_at_damage) {
  Payload payload;
  payload.attribute_u32(1, 5).nest(2, Payload().attribute_u32(3, 9));
  const auto nest = find_attribute(payload.bytes(), 2);
  ASSERT_TRUE(nest);
  ASSERT_TRUE(find_attribute(*nest, 3));
  EXPECT_EQ(u32_of(*find_attribute(*nest, 3)), 9U);
  EXPECT_FALSE(find_attribute(payload.bytes(), 3));
  EXPECT_FALSE(find_attribute(bytes({0, 0, 1, 0}), 1));
  EXPECT_FALSE(find_attribute(bytes({3, 0, 1, 0}), 1));
  EXPECT_FALSE(find_attribute(bytes({9, 0, 1, 0, 1, 2, 3, 4}), 1));
  EXPECT_FALSE(find_attribute(bytes({4, 0, 1}), 1));
  EXPECT_FALSE(find_attribute({}, 1));
  EXPECT_EQ(text_of(bytes({'a', 'b', 0, 'c'})), "ab");
  EXPECT_EQ(text_of(bytes({'a', 'b'})), "ab");
  EXPECT_FALSE(u32_of(bytes({1, 2, 3})));
}

TEST(DeviceName, is_what_a_kernel_could_know) {
  EXPECT_TRUE(can_name_a_device("eth0"));
  EXPECT_FALSE(can_name_a_device(""));
  EXPECT_FALSE(can_name_a_device(std::string(128, 'x')));
  EXPECT_FALSE(can_name_a_device(std::string_view("eth0\0", 5)));
}

}  // namespace
}  // namespace roceready::live

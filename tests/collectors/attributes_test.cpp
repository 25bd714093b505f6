// SPDX-License-Identifier: Apache-2.0
#include "collectors/attributes.h"

#include <gtest/gtest.h>

#include "tests/collectors/bytes_of.h"
#include "tests/doubles/netlink_builder.h"

namespace roceready {
namespace {

using doubles::Attrs;

TEST(Attributes, walk_types_without_flags_and_padded_payloads) {
  const std::string bytes = Attrs()
                                .text(3, "eth0")
                                .number(static_cast<std::uint16_t>(uapi::kAttributeNested + 7), std::uint32_t{9})
                                .raw(9, "abc")
                                .number(2, std::uint64_t{5})
                                .bytes();
  std::vector<int> types;
  Attributes at(as_bytes_of(bytes));
  while (at.next()) types.push_back(at.current().type);
  EXPECT_EQ(types, (std::vector<int>{3, 7, 9, 2}));
  EXPECT_FALSE(at.malformed());
  EXPECT_EQ(find_text(as_bytes_of(bytes), 3), "eth0");
  EXPECT_EQ(find_number<std::uint32_t>(as_bytes_of(bytes), 7), 9U);
  EXPECT_EQ(find_number<std::uint64_t>(as_bytes_of(bytes), 2), 5U);
  EXPECT_EQ(find_number<std::uint32_t>(as_bytes_of(bytes), 9), std::nullopt);  // three bytes are no u32
  EXPECT_EQ(find_text(as_bytes_of(bytes), 77), std::nullopt);
}

TEST(Attributes, stop_at_lengths_that_make_no_sense) {
  const auto with_length = [](std::uint16_t length) {
    std::string bytes = Attrs().number(1, std::uint32_t{1}).number(2, std::uint32_t{2}).bytes();
    doubles::put_at(bytes, 8, length);
    return bytes;
  };
  for (const int wrong : {0, 1, 3, 9, 200, 65535}) {
    const auto length = static_cast<std::uint16_t>(wrong);
    const std::string bytes = with_length(length);
    Attributes at(as_bytes_of(bytes));
    int count = 0;
    while (at.next()) ++count;
    EXPECT_EQ(count, 1) << length;
    EXPECT_TRUE(at.malformed()) << length;
  }
  for (std::size_t size = 0; size < 16; ++size) {
    const std::string cut = with_length(8).substr(0, size);
    Attributes at(as_bytes_of(cut));
    while (at.next()) EXPECT_LE(at.current().payload.size(), cut.size());
  }
}

TEST(Attributes, text_needs_no_terminator_and_is_cleaned) {
  const std::string bytes = Attrs().raw(1, std::string(15, 'x')).raw(2, "a\x01\xff z").raw(3, "").bytes();
  EXPECT_EQ(find_text(as_bytes_of(bytes), 1), std::string(15, 'x'));
  EXPECT_EQ(find_text(as_bytes_of(bytes), 2), "a\\x01\\xff z");
  EXPECT_EQ(find_text(as_bytes_of(bytes), 3), "");
}

}  // namespace
}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "probes/grh.h"

#include <algorithm>
#include <initializer_list>

#include <gtest/gtest.h>

namespace roceready::probes {
namespace {

using Area = std::array<std::byte, kGrhBytes>;

/// Last 20 bytes: the IPv4 header of a packet that rxe sent with DSCP 26 and ECT(0), TTL 64, 10.0.0.1 to 10.0.0.2.
Area ipv4(unsigned first_bytes = 0, unsigned traffic_class = 0x6a) {
  Area out{};
  std::fill_n(out.begin(), 20, static_cast<std::byte>(first_bytes));
  const std::initializer_list<unsigned> header{
      0x45, traffic_class, 0x00, 0x3c, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
  std::transform(header.begin(), header.end(), out.begin() + 20, [](unsigned b) { return static_cast<std::byte>(b); });
  unsigned sum = 0;
  for (std::size_t i = 20; i < 40; i += 2)
    sum += std::to_integer<unsigned>(out[i]) << 8 | std::to_integer<unsigned>(out[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  out[30] = static_cast<std::byte>(~sum >> 8 & 0xff);
  out[31] = static_cast<std::byte>(~sum & 0xff);
  return out;
}

/// Version 6, traffic class 0x6b, hop limit 63, 2001:db8::1 to 2001:db8::2.
Area ipv6() {
  Area out{};
  const auto set = [&](std::size_t at, unsigned value) { out[at] = static_cast<std::byte>(value); };
  set(0, 0x66), set(1, 0xb0), set(4, 0), set(5, 80), set(6, 17), set(7, 63);
  for (const std::size_t at : {std::size_t{8}, std::size_t{24}})
    set(at, 0x20), set(at + 1, 0x01), set(at + 2, 0x0d), set(at + 3, 0xb8);
  set(23, 1), set(39, 2);
  return out;
}

TEST(Grh, reads_ipv4_from_the_last_20_bytes) {
  const Grh grh = read_grh(ipv4());
  ASSERT_TRUE(grh.believed());
  EXPECT_EQ(grh.version, 4);
  EXPECT_EQ(grh.dscp, 26);
  EXPECT_EQ(grh.ecn, 2);
  EXPECT_EQ(grh.ttl, 64);
  EXPECT_EQ(grh.source, (GidBytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1}));
  EXPECT_EQ(grh.destination, (GidBytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2}));
}

TEST(Grh, reads_ipv4_whatever_lies_in_front_of_it) {
  for (unsigned fill = 0; fill < 256; ++fill) {
    const Grh grh = read_grh(ipv4(fill));
    EXPECT_TRUE(grh.believed() && grh.version == 4) << fill;
  }
}

TEST(Grh, reads_every_traffic_class_of_ipv4) {
  for (unsigned traffic_class = 0; traffic_class < 256; ++traffic_class) {
    const Grh grh = read_grh(ipv4(0, traffic_class));
    ASSERT_TRUE(grh.believed());
    EXPECT_EQ(grh.dscp, traffic_class >> 2);
    EXPECT_EQ(grh.ecn, traffic_class & 3);
  }
}

TEST(Grh, reads_ipv6_over_all_40_bytes) {
  const Grh grh = read_grh(ipv6());
  ASSERT_TRUE(grh.believed());
  EXPECT_EQ(grh.version, 6);
  EXPECT_EQ(grh.dscp, 26);
  EXPECT_EQ(grh.ecn, 3);
  EXPECT_EQ(grh.ttl, 63);
  EXPECT_EQ(grh.source[0], 0x20);
  EXPECT_EQ(grh.source[15], 1);
  EXPECT_EQ(grh.destination[15], 2);
}

TEST(Grh, takes_an_ipv6_address_that_looks_like_ipv4_for_ipv6) {
  Area area = ipv6();
  area[20] = std::byte{0x45};
  const Grh grh = read_grh(area);
  EXPECT_TRUE(grh.believed());
  EXPECT_EQ(grh.version, 6);
}

TEST(Grh, does_not_believe_a_wrong_checksum) {
  for (std::size_t bit = 0; bit < 160; ++bit) {
    Area area = ipv4();
    area[20 + bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const Grh grh = read_grh(area);
    EXPECT_FALSE(grh.believed()) << "bit " << bit;
    EXPECT_EQ(grh.dscp + grh.ecn + grh.ttl + grh.version, 0) << "bit " << bit;
  }
}

TEST(Grh, says_why_it_does_not_believe) {
  EXPECT_EQ(read_grh(Area{}).doubt, GrhDoubt::Empty);
  EXPECT_EQ(read_grh({}).doubt, GrhDoubt::Short);
  const Area area = ipv4();
  EXPECT_EQ(read_grh(ByteSpan(area).first(39)).doubt, GrhDoubt::Short);
  Area noise{};
  noise.fill(std::byte{0xff});
  EXPECT_EQ(read_grh(noise).doubt, GrhDoubt::NotIp);
  Area wrong = ipv4();
  wrong[28] = std::byte{1};
  EXPECT_EQ(read_grh(wrong).doubt, GrhDoubt::BadChecksum);
  Area other = ipv6();
  other[6] = std::byte{6};
  EXPECT_EQ(read_grh(other).doubt, GrhDoubt::NotIp) << "TCP is no RoCE packet";
}

}  // namespace
}  // namespace roceready::probes

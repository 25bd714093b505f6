// SPDX-License-Identifier: Apache-2.0
#include "collectors/links_parse.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/collectors/bytes_of.h"
#include "tests/doubles/netlink_builder.h"

namespace roceready {
namespace {

using doubles::Attrs;
using doubles::link_bytes;

Bytes bytes(const std::string& text) {
  Bytes out(text.size());
  std::memcpy(out.data(), text.data(), text.size());
  return out;
}

TEST(LinkParse, reads_a_vlan_with_its_egress_map) {
  Attrs map;
  map.raw(uapi::kIflaVlanQosMapping, doubles::number_bytes(std::uint32_t{3}) + doubles::number_bytes(std::uint32_t{5}));
  map.raw(uapi::kIflaVlanQosMapping, "short");
  const std::string message = link_bytes(
      "eth0.7", 9,
      Attrs()
          .number(uapi::kIflaLink, std::uint32_t{2})
          .number(uapi::kIflaOperState, std::uint8_t{6})
          .number(uapi::kIflaCarrier, std::uint8_t{1})
          .nest(uapi::kIflaLinkInfo,
                Attrs()
                    .text(uapi::kIflaInfoKind, "vlan")
                    .nest(uapi::kIflaInfoData,
                          Attrs().number(uapi::kIflaVlanId, std::uint16_t{7}).nest(uapi::kIflaVlanEgressQos, map))));
  const auto link = parse_link(as_bytes_of(message));
  ASSERT_TRUE(link) << link.error().text();
  EXPECT_EQ(link->link.name, "eth0.7");
  EXPECT_EQ(link->lower_index, 2U);
  EXPECT_EQ(*link->link.oper_state, "up");
  EXPECT_TRUE(*link->link.carrier);
  EXPECT_EQ(*link->link.mtu, 9000U);
  EXPECT_EQ(*link->link.vlan, (VlanFacts{7, {{"3", 5}}}));
  EXPECT_EQ(link->link.bond.absent().why, Why::NotPresent);
  EXPECT_EQ(link->link.carrier_down_count.absent().why, Why::NotPresent);
}

TEST(LinkParse, names_follow_indexes_and_members_of_a_bond_show_their_state) {
  const auto member = [](const char* name, std::uint32_t index, std::uint8_t backup, std::uint8_t mii) {
    return link_bytes(
        name, index,
        Attrs()
            .number(uapi::kIflaMaster, std::uint32_t{5})
            .nest(
                uapi::kIflaLinkInfo,
                Attrs()
                    .text(uapi::kIflaInfoSlaveKind, "bond")
                    .nest(
                        uapi::kIflaInfoSlaveData,
                        Attrs().number(uapi::kIflaBondSlaveState, backup).number(uapi::kIflaBondSlaveMiiStatus, mii))));
  };
  const std::string bond = link_bytes(
      "bond0", 5,
      Attrs().nest(uapi::kIflaLinkInfo,
                   Attrs()
                       .text(uapi::kIflaInfoKind, "bond")
                       .nest(uapi::kIflaInfoData, Attrs()
                                                      .number(uapi::kIflaBondMode, std::uint8_t{1})
                                                      .number(uapi::kIflaBondActiveSlave, std::uint32_t{2}))));
  const auto links =
      build_links({bytes(member("eth1", 3, 1, 2)), bytes(bond), bytes(member("eth0", 2, 0, 0)), bytes("junk")},
                  {bytes(doubles::ipv4_bytes(5, {10, 0, 0, 1})), bytes("x")});
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0].name, "bond0");
  EXPECT_EQ(links[0].bond->active_member, "eth0");
  EXPECT_EQ(links[0].addresses, (std::vector<IpAddress>{{"10.0.0.1", 24, false}}));
  EXPECT_EQ(links[1].master, "bond0");
  EXPECT_EQ(*links[1].bond_member, (BondMemberFacts{false, true}));
  EXPECT_EQ(*links[2].bond_member, (BondMemberFacts{true, false}));
}

TEST(LinkParse, a_lower_device_of_another_namespace_is_not_named) {
  const auto links = build_links(
      {bytes(link_bytes("eth0", 2)),
       bytes(link_bytes(
           "veth1", 3,
           Attrs().number(uapi::kIflaLink, std::uint32_t{2}).number(uapi::kIflaLinkNetnsId, std::uint32_t{0})))},
      {});
  EXPECT_EQ(links[1].lower, "");
}

TEST(LinkParse, survives_every_truncation) {
  const std::string message =
      link_bytes("eth0", 2, Attrs().text(uapi::kIflaPhysPortName, "p0").raw(uapi::kIflaPhysSwitchId, "\x01\xab"));
  for (std::size_t size = 0; size < message.size(); ++size) {
    const std::string cut = message.substr(0, size);
    (void)parse_link(as_bytes_of(cut));
    (void)parse_address(as_bytes_of(cut));
  }
  EXPECT_EQ(*parse_link(as_bytes_of(message))->link.phys_switch_id, "01ab");
  EXPECT_FALSE(parse_link(as_bytes_of(link_bytes("", 2))));
  EXPECT_FALSE(parse_link(as_bytes_of(link_bytes("eth0", 0))));
}

TEST(AddressParse, tentative_ipv6_is_marked) {
  std::string message(uapi::kIfAddrMsgSize, '\0');
  message[uapi::kIfAddrMsgFamily] = static_cast<char>(uapi::kAfInet6);
  message[uapi::kIfAddrMsgPrefixLength] = 64;
  std::string address(16, '\0');
  address[0] = static_cast<char>(0xfd);
  address[15] = 1;
  message += Attrs().raw(uapi::kIfaAddress, address).number(uapi::kIfaFlags, std::uint32_t{0x40}).bytes();
  const auto parsed = parse_address(as_bytes_of(message));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->address, (IpAddress{"fd00::1", 64, true}));
}

}  // namespace
}  // namespace roceready

// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma_parse.h"

#include <gtest/gtest.h>

#include "tests/collectors/bytes_of.h"
#include "tests/doubles/netlink_builder.h"

namespace roceready {
namespace {

using doubles::Attrs;
using doubles::gid_bytes;

TEST(RdmaParse, device_with_protocol_and_firmware) {
  const std::string message = doubles::rdma_device_bytes("mlx5_0", 1, 2);
  const auto device = parse_rdma_device(as_bytes_of(message));
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name, "mlx5_0");
  EXPECT_EQ(device->ports, 2U);
  EXPECT_EQ(*device->firmware, "28.41.1000");
  EXPECT_EQ(*device->protocol, "roce");
  EXPECT_EQ(device->node_type, 1);
}

TEST(RdmaParse, refuses_names_that_would_leave_the_directory) {
  for (const char* name : {"", ".", "..", "../net", "a/b"}) {
    EXPECT_FALSE(parse_rdma_device(as_bytes_of(doubles::rdma_device_bytes(name)))) << name;
  }
  EXPECT_FALSE(parse_rdma_device({}));
  const auto many = parse_rdma_device(as_bytes_of(doubles::rdma_device_bytes("x", 1, 4000000000U)));
  EXPECT_EQ(many->ports, 255U);
}

TEST(RdmaParse, port_states_are_words) {
  const RdmaPortState active = *parse_rdma_port(as_bytes_of(doubles::rdma_port_bytes("eth0")));
  EXPECT_EQ(*active.state, "ACTIVE");
  EXPECT_EQ(*active.physical_state, "LinkUp");
  EXPECT_EQ(active.netdev, "eth0");
  const RdmaPortState odd = *parse_rdma_port(as_bytes_of(doubles::rdma_port_bytes("", 99)));
  EXPECT_EQ(odd.state.absent().why, Why::Malformed);
  EXPECT_EQ(odd.netdev, "");
  EXPECT_FALSE(parse_rdma_port({})) << "an empty answer says nothing about a port";
  const std::string whole = doubles::rdma_port_bytes("eth0");
  EXPECT_FALSE(parse_rdma_port(as_bytes_of(whole).first(whole.size() - 6))) << "what was cut off is the netdev";
  EXPECT_EQ(word_behind_number("4: ACTIVE\n"), "ACTIVE");
  EXPECT_EQ(word_behind_number("ACTIVE"), "ACTIVE");
}

TEST(RdmaParse, counters_keep_odd_names_and_skip_broken_entries) {
  const std::string message =
      doubles::rdma_counters_bytes({{"out_of_buffer", 7}, {"RNR sent", 8}, {"x\x02", UINT64_MAX}});
  const auto counters = parse_rdma_counters(as_bytes_of(message));
  ASSERT_TRUE(counters);
  ASSERT_EQ(counters->size(), 3U);
  EXPECT_EQ((*counters)[1].name, "RNR sent");
  EXPECT_EQ((*counters)[2].value, UINT64_MAX);
  const std::string broken = Attrs()
                                 .nest(uapi::kNldevAttrStatHwCounters,
                                       Attrs()
                                           .nest(uapi::kNldevAttrStatHwCounterEntry,
                                                 Attrs().text(uapi::kNldevAttrStatHwCounterEntryName, "no value"))
                                           .raw(uapi::kNldevAttrStatHwCounterEntry, "xx"))
                                 .bytes();
  EXPECT_EQ(parse_rdma_counters(as_bytes_of(broken))->size(), 0U);
  EXPECT_FALSE(parse_rdma_counters({}));
}

TEST(RdmaParse, gid_table_of_one_port_in_order) {
  std::string v4(16, '\0');
  v4[10] = v4[11] = '\xff';
  v4[12] = 10;
  v4[15] = 1;
  const std::string table = gid_bytes(v4, 3, 1, 2, 7) + gid_bytes("\xfe\x80", 0, 1, 1, 7) + gid_bytes(v4, 1, 2, 2, 8) +
                            gid_bytes(v4, 5, 1, 99, 7) + "tail";
  const auto gids = parse_gid_table(as_bytes_of(table), 1);
  ASSERT_EQ(gids.size(), 2U);
  EXPECT_EQ(gids[0].entry.gid, "fe80::");
  EXPECT_EQ(gids[0].entry.type, "RoCE v1");
  EXPECT_EQ(gids[1].entry.index, 3U);
  EXPECT_EQ(gids[1].entry.gid, "::ffff:10.0.0.1");
  EXPECT_EQ(gids[1].entry.type, "RoCE v2");
  EXPECT_EQ(gids[1].netdev_index, 7U);
}

TEST(RdmaParse, gids_of_sysfs) {
  EXPECT_EQ(gid_from_sysfs("0000:0000:0000:0000:0000:ffff:0a00:0001\n"), "::ffff:10.0.0.1");
  EXPECT_EQ(gid_from_sysfs("fe80:0000:0000:0000:0000:0000:0000:0001"), "fe80::1");
  EXPECT_EQ(gid_from_sysfs("0000:0000:0000:0000:0000:0000:0000:0000\n"), std::nullopt);
  EXPECT_EQ(gid_from_sysfs("garbage"), std::nullopt);
  EXPECT_EQ(gid_type_from_sysfs("IB/RoCE v1\n"), "RoCE v1");
  EXPECT_EQ(gid_type_from_sysfs("RoCE v2\n"), "RoCE v2");
}

TEST(RdmaParse, mtu_codes_are_bytes) {
  const auto attributes = [](std::uint32_t max, std::uint32_t active) {
    std::string out(32, '\0');
    doubles::put_at(out, 4, max);
    doubles::put_at(out, 8, active);
    return out;
  };
  EXPECT_EQ(*parse_port_attributes(as_bytes_of(attributes(5, 3))).max, 4096U);
  EXPECT_EQ(*parse_port_attributes(as_bytes_of(attributes(5, 3))).active, 1024U);
  EXPECT_EQ(parse_port_attributes(as_bytes_of(attributes(6, 0))).max.absent().why, Why::Malformed);
  EXPECT_EQ(parse_port_attributes(as_bytes_of(attributes(6, 0))).active.absent().why, Why::Malformed);
  EXPECT_FALSE(parse_port_attributes({}).active);
}

}  // namespace
}  // namespace roceready
